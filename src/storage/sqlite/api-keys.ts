/** API keys in SQLite. Every process that has the file open sees a change at once. */
import type { Database } from 'bun:sqlite';
import type { ApiKeys, KeyUse } from '../../domain/store/api-keys.ts';
import { type ApiKeyRow, apiKeyColumns, apiKeyOf, apiKeyRow } from '../rows/api-key.ts';

/** A change of the keys, as it is sent to the thread that writes. */
export type KeyWrite =
  | { readonly add: ReturnType<typeof apiKeyRow> }
  | { readonly revoke: string; readonly at: string }
  | { readonly used: readonly KeyUse[] };

const insertKey = `insert or ignore into api_keys (${apiKeyColumns.join(', ')})
  values (${apiKeyColumns.map(() => '?').join(', ')})`;

/** False if there was nothing to change. */
export function writeKeys(db: Database, write: KeyWrite): boolean {
  if ('add' in write) {
    using insert = db.prepare(insertKey);
    return insert.run(...write.add).changes === 1;
  }
  if ('revoke' in write) {
    using revoke = db.prepare(
      'update api_keys set revoked_at = ?1 where revoked_at is null and (id = ?2 or name = ?2)',
    );
    return revoke.run(write.at, write.revoke).changes > 0;
  }
  using use = db.prepare(
    'update api_keys set last_used_at = ?1 where digest = ?2 and (last_used_at is null or last_used_at < ?1)',
  );
  let changes = 0;
  for (const { digest, at } of write.used) changes += use.run(at, digest).changes;
  return changes > 0;
}

/** `write` resolves when the change is stored. */
export function openApiKeys(db: Database, write: (write: KeyWrite) => Promise<boolean>): ApiKeys & { close(): void } {
  const find = db.prepare<ApiKeyRow, [string]>('select * from api_keys where digest = ?');
  return {
    find: (digest) => {
      const found = find.get(digest);
      return found === null ? undefined : apiKeyOf(found);
    },
    add: (key) => write({ add: apiKeyRow(key) }),
    async list() {
      using all = db.prepare<ApiKeyRow, []>('select * from api_keys order by created_at, id');
      return all.all().map(apiKeyOf);
    },
    revoke: (idOrName, at) => write({ revoke: idOrName, at }),
    used: async (uses) => {
      await write({ used: uses });
    },
    close: () => find.finalize(),
  };
}
