/** Test databases on the PostgreSQL server that `npm test` has started, or that POSTGRES_URL names. */
import { SQL } from 'bun';

/** Undefined if there is no server; `npm test` reports that. */
export const postgresUrl = process.env.POSTGRES_URL;

let made = 0;

/** A new, empty database. It is removed with the server; on a server of POSTGRES_URL, drop shelf_test_* by hand. */
export async function newDatabase(): Promise<string> {
  if (postgresUrl === undefined) throw new Error('POSTGRES_URL names no PostgreSQL: run the tests with npm test');
  const name = `shelf_test_${process.pid}_${Date.now().toString(36)}_${made++}`;
  const sql = new SQL({ url: postgresUrl, max: 1 });
  try {
    await sql.unsafe(`create database ${name} encoding 'UTF8' template template0 strategy file_copy`);
  } finally {
    await sql.close();
  }
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  return url.href;
}
