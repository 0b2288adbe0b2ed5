/** API keys in PostgreSQL. They are not cached, so every instance sees a change at once. */
import type { SQL } from 'bun';
import type { ApiKeys } from '../../../domain/store/api-keys.ts';
import { type ApiKeyRow, apiKeyColumns, apiKeyOf, apiKeyRow } from '../../rows/api-key.ts';

type Read = <Result>(ask: (sql: SQL) => Promise<Result>) => Promise<Result>;

const insertKey = `insert into api_keys (${apiKeyColumns.join(', ')})
  values (${apiKeyColumns.map((_, at) => `$${at + 1}`).join(', ')}) on conflict do nothing`;

/** Writes also go through `read`, which may retry them: all are idempotent. */
export function openApiKeys(read: Read): ApiKeys {
  return {
    async find(digest) {
      const [row] = (await read((sql) => sql`select * from api_keys where digest = ${digest}`)) as ApiKeyRow[];
      return row === undefined ? undefined : apiKeyOf(row);
    },
    async add(key) {
      await read((sql) => sql.unsafe(insertKey, [...apiKeyRow(key)]));
      // After a retry the first attempt may have stored the key, so the result of the insert does not decide.
      return (await this.find(key.digest)) !== undefined;
    },
    async list() {
      return ((await read((sql) => sql`select * from api_keys order by created_at, id`)) as ApiKeyRow[]).map(apiKeyOf);
    },
    async revoke(idOrName, at) {
      const rows = await read(
        (sql) => sql`
          update api_keys set revoked_at = ${at}
          where (revoked_at is null or revoked_at = ${at}) and (id = ${idOrName} or name = ${idOrName}) returning id`,
      );
      return rows.length > 0;
    },
    async used(uses) {
      const statement = `update api_keys set last_used_at = used.at from unnest($1::text[], $2::text[]) as used(digest, at)
        where api_keys.digest = used.digest and (last_used_at is null or last_used_at < used.at)`;
      const columns = [uses.map(({ digest }) => digest), uses.map(({ at }) => at)];
      await read((sql) =>
        sql.unsafe(
          statement,
          columns.map((values) => sql.array(values, 'text')),
        ),
      );
    },
  };
}
