/** API keys in PostgreSQL; every instance sees a change at once. */
import type { SQL } from 'bun';
import type { Keys } from '../../domain/keys.ts';
import { type KeyRow, keyOf, rowOf } from '../key-rows.ts';

type Read = <Result>(ask: (sql: SQL) => Promise<Result>) => Promise<Result>;

/** Changes are made through `read` too: to do them again does no harm. */
export function openKeys(read: Read): Keys {
  return {
    async find(digest) {
      const [row] = (await read((sql) => sql`select * from api_keys where digest = ${digest}`)) as KeyRow[];
      return row === undefined ? undefined : keyOf(row);
    },
    async add(key) {
      const values = rowOf(key);
      const rows = await read((sql) =>
        sql.unsafe(
          `insert into api_keys select $1, $2, $3, $4, $5, $6, $7, $8
           where not exists (select from api_keys where name = $2 and revoked_at is null and id <> $1)
           on conflict (id) do update set id = excluded.id returning id`,
          [...values],
        ),
      );
      return rows.length === 1;
    },
    async list() {
      return ((await read((sql) => sql`select * from api_keys order by created_at, id`)) as KeyRow[]).map(keyOf);
    },
    async revoke(idOrName, at) {
      const rows = await read(
        (sql) => sql`
          update api_keys set revoked_at = ${at}
          where (revoked_at is null or revoked_at = ${at}) and (id = ${idOrName} or name = ${idOrName}) returning id`,
      );
      return rows.length > 0;
    },
  };
}
