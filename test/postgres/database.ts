/** Test databases on the PostgreSQL server that `npm test` has started, or that POSTGRES_URL names. */
import { SQL } from 'bun';

/** Undefined if there is no server; `npm test` reports that. */
export const postgresUrl = process.env.POSTGRES_URL;

let made = 0;

/** A new, empty database. It is removed with the server; on a server of POSTGRES_URL, drop shelf_test_* by hand. */
export function newDatabase(server = postgresUrl): Promise<string> {
  return copyOf('template0', server);
}

/**
 * A new database as `shelf migrate` leaves it, for a test that only needs a server: to make the tables takes PostgreSQL three times as
 * long as to copy them. Empty if a test file is run alone.
 */
export function migratedDatabase(): Promise<string> {
  return copyOf(process.env.TESTED_DATABASE ?? 'template0', postgresUrl);
}

async function copyOf(template: string, server: string | undefined): Promise<string> {
  if (server === undefined) throw new Error('POSTGRES_URL names no PostgreSQL: run the tests with npm test');
  const name = `shelf_test_${process.pid}_${Date.now().toString(36)}_${made++}`;
  const sql = new SQL({ url: server, max: 1 });
  try {
    await sql.unsafe(`create database ${name} encoding 'UTF8' template ${template} strategy file_copy`);
  } finally {
    await sql.close();
  }
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
