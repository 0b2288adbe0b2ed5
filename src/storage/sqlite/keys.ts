/** API keys in SQLite; whoever has the file open sees a change at once. */
import type { Database } from 'bun:sqlite';
import type { Keys } from '../../domain/keys.ts';
import { type KeyRow, keyOf, rowOf } from '../rows/api-key.ts';

export function openKeys(db: Database): Keys & { close(): void } {
  const find = db.prepare<KeyRow, [string]>('select * from api_keys where digest = ?');
  return {
    find: (digest) => {
      const found = find.get(digest);
      return found === null ? undefined : keyOf(found);
    },
    async add(key) {
      using insert = db.prepare('insert or ignore into api_keys values (?, ?, ?, ?, ?, ?, ?, ?)');
      return insert.run(...rowOf(key)).changes === 1;
    },
    async list() {
      using all = db.prepare<KeyRow, []>('select * from api_keys order by created_at, id');
      return all.all().map(keyOf);
    },
    async revoke(idOrName, at) {
      using update = db.prepare(
        'update api_keys set revoked_at = ?1 where revoked_at is null and (id = ?2 or name = ?2)',
      );
      return update.run(at, idOrName).changes > 0;
    },
    close: () => find.finalize(),
  };
}
