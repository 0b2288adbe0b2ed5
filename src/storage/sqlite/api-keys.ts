/** API keys in SQLite. Every process that has the file open sees a change at once. */
import type { Database } from 'bun:sqlite';
import type { ApiKeys } from '../../domain/api-keys.ts';
import { type ApiKeyRow, apiKeyOf, apiKeyRow } from '../rows/api-key.ts';

export function openApiKeys(db: Database): ApiKeys & { close(): void } {
  const find = db.prepare<ApiKeyRow, [string]>('select * from api_keys where digest = ?');
  return {
    find: (digest) => {
      const found = find.get(digest);
      return found === null ? undefined : apiKeyOf(found);
    },
    async add(key) {
      using insert = db.prepare('insert or ignore into api_keys values (?, ?, ?, ?, ?, ?, ?, ?, ?)');
      return insert.run(...apiKeyRow(key)).changes === 1;
    },
    async list() {
      using all = db.prepare<ApiKeyRow, []>('select * from api_keys order by created_at, id');
      return all.all().map(apiKeyOf);
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
