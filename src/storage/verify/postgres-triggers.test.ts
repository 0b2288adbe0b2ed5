import { describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { newDatabase, postgresUrl } from '../../../test/postgres/database.ts';
import { contentsOf, makeDatabase } from '../../../test/support/data/made-database.ts';
import { unknownTriggers } from './postgres-triggers.ts';

describe.skipIf(postgresUrl === undefined)('triggers', () => {
  test("of Shelf are known, and only those on Shelf's tables are looked at", async () => {
    const url = await newDatabase();
    await makeDatabase(url, contentsOf([]));
    const sql = new SQL({ url, max: 1 });
    expect(await unknownTriggers(sql, ['items'])).toEqual([]);
    await sql.unsafe('create table other (n int)');
    await sql.unsafe("create function evil() returns trigger language plpgsql as 'begin return null; end'");
    for (const table of ['other', 'items'])
      await sql.unsafe(`create trigger "a ""b" before insert on ${table} for each row execute function evil()`);
    await sql.unsafe('create rule quiet as on delete to changes do instead nothing');
    // The name of Shelf's own, with another function.
    await sql.unsafe('drop trigger items_own_id on items');
    await sql.unsafe('create trigger items_own_id before insert on items for each row execute function evil()');
    expect(await unknownTriggers(sql, ['items'])).toEqual([
      'unknown rule "quiet" on table "changes": drop it with an SQL client',
      'unknown trigger "a \\"b" on table "items": drop it with an SQL client',
      'unknown trigger "items_own_id" on table "items": drop it with an SQL client',
    ]);
    await sql.close();
  });
});
