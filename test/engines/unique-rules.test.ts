/** The database itself holds unique rules, whoever writes to it. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { SQL } from 'bun';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { declared } from '../support/data/library.ts';
import { lastingEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const text = { type: 'text', max: 200 };
const collections = declared({
  seats: {
    singular: 'seat',
    fields: { row: text, place: { type: 'integer' }, taken_by: { ...text, optional: true }, state: text },
    unique: [['row', 'place'], { fields: ['taken_by'], where: { state: 'open', place: { lt: 10 } } }],
  },
});

const insert = (values: string) =>
  `insert into seats (row, place, taken_by, state, version, created_at, updated_at) values (${values}, 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`;

test.each(lastingEngines())('%s: another program cannot break a rule either', async (engine, newUrl) => {
  const url = await newUrl();
  await (await startServer({ database: url, collections })).stop();
  const run = await (async () => {
    if (engine === 'postgres') {
      const sql = new SQL({ url, max: 1 });
      return { one: async (statement: string) => void (await sql.unsafe(statement)), end: () => sql.close() };
    }
    const db = new Database(url.slice('sqlite:'.length));
    return { one: async (statement: string) => void db.run(statement), end: async () => db.close() };
  })();
  await run.one(insert("'a', 1, 'Ada', 'open'"));
  await run.one(insert("'a', 11, 'Ada', 'open'"));
  await run.one(insert("'a', 2, 'Ada', 'done'"));
  await expect(run.one(insert("'a', 1, null, 'open'"))).rejects.toThrow(/unique/i);
  await expect(run.one(insert("'b', 3, 'Ada', 'open'"))).rejects.toThrow(/unique/i);
  await expect(run.one("update seats set state = 'open' where place = 2")).rejects.toThrow(/unique/i);
  await run.end();
});

/** How many answers had each status, and the record that the refused ones name. */
async function outcomes(answers: readonly Promise<Response>[]) {
  const all = await Promise.all(answers);
  const statuses: Record<number, number> = {};
  const named = new Set<unknown>();
  for (const answer of all) {
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    const body = (await answer.json()) as { id: unknown };
    named.add(body.id);
  }
  return { statuses, named: named.size };
}

const tries = 40;

test.if(postgresUrl !== undefined)(
  'two instances: of many writes at a time one wins, and all others name it',
  async () => {
    const database = await newDatabase();
    const servers: TestServer[] = [];
    for (let one = 0; one < 2; one++) servers.push(await startServer({ database, collections }));
    const send = (at: number, method: string, path: string, record: object) =>
      fetch(`${servers[at % 2]?.url}/api/v2/${path}`, {
        method,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(record),
      });
    const places = Array.from({ length: tries }, (_, at) => at);
    try {
      const seat = { row: 'a', place: 1, state: 'done' };
      expect(await outcomes(places.map((at) => send(at, 'POST', 'seats', seat)))).toEqual({
        statuses: { 201: 1, 409: tries - 1 },
        named: 1,
      });
      // By a field of the condition.
      const ids = await Promise.all(
        places.map(async (at) => {
          const made = await send(at, 'POST', 'seats', { row: 'b', place: 100 + at, state: 'open', taken_by: 'Ada' });
          return ((await made.json()) as { id: number }).id;
        }),
      );
      await Promise.all(ids.map((id, at) => send(at, 'PATCH', `seats/${id}`, { state: 'done', place: -at })));
      const opened = await outcomes(ids.map((id, at) => send(at, 'PATCH', `seats/${id}`, { state: 'open' })));
      expect(opened).toEqual({ statuses: { 200: 1, 409: tries - 1 }, named: 1 });
      // A bulk, which writes with COPY, beside single writes.
      const lines = places.map((at) => JSON.stringify({ row: 'c', place: at, state: 'done' })).join('\n');
      const bulk = (at: number) => fetch(`${servers[at % 2]?.url}/api/v2/seats/bulk`, { method: 'POST', body: lines });
      const answers = await Promise.all([
        ...[0, 1, 2, 3].map(bulk),
        ...places.map((at) => send(at, 'POST', 'seats', { row: 'c', place: at, state: 'done' })),
      ]);
      const page = await fetch(`${servers[0]?.url}/api/v2/seats?row=c&limit=1000`);
      const { data } = (await page.json()) as { data: { place: number }[] };
      expect(data.map(({ place }) => place).sort((one, other) => one - other)).toEqual(places);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
    } finally {
      for (const server of servers) await server.stop();
    }
  },
);

test.each(lastingEngines())('%s: the largest condition fits into the catalog of the database', async (_, newUrl) => {
  const random = (length: number) =>
    Array.from({ length }, (__, at) => String.fromCharCode(33 + ((at * 7919 + at * at * 31) % 90)))
      .join('')
      .replaceAll(/["\\]/g, 'x');
  const wheres = [
    { note: random(985) },
    { note: { in: Array.from({ length: 20 }, (__, at) => random(40 + (at % 4))) } },
    { any: Array.from({ length: 20 }, (__, at) => ({ [`f${at}`]: { ne: `${at}.5` } })) },
    {
      all: Array.from({ length: 10 }, (__, at) => ({ not: { not: { [`f${at}`]: { ne: { field: `f${at + 1}` } } } } })),
    },
  ];
  const decimals = Object.fromEntries(
    Array.from({ length: 21 }, (__, at) => [`f${at}`, { type: 'decimal', scale: 1, default: '0' }]),
  );
  const file = {
    seats: {
      singular: 'seat',
      fields: { row: text, note: { type: 'text', default: '' }, ...decimals },
      unique: wheres.map((where) => ({ fields: ['row'], where })),
    },
  };
  for (const where of wheres) expect(JSON.stringify(where).length).toBeLessThanOrEqual(1000);
  const server = await startServer({ database: await newUrl(), collections: declared(file) });
  const send = async (record: object) =>
    (await fetch(`${server.url}/api/v2/seats`, { method: 'POST', body: JSON.stringify(record) })).status;
  expect([await send({ row: 'a', note: wheres[0]?.note }), await send({ row: 'a', note: wheres[0]?.note })]).toEqual([
    201, 409,
  ]);
  await server.stop();
});

test('SQLite: an index of a rule that is gone is made again, and another one under its name is refused', async () => {
  const path = join(temporaryFolder(), 'shelf.db');
  const start = () => startServer({ database: `sqlite:${path}`, collections });
  await (await start()).stop();
  const tamper = (change: (sql: string, name: string) => readonly string[]) => {
    using db = new Database(path);
    const row = db.prepare("select name, sql from sqlite_schema where type = 'index' and sql like '%state%'").get();
    const { name, sql } = row as { name: string; sql: string };
    for (const statement of change(sql, name)) db.run(statement);
  };
  tamper((_, name) => [`drop index "${name}"`]);
  await (await start()).stop();
  tamper((_, name) => [`drop index "${name}"`, insert("'a', 1, 'Ada', 'open'"), insert("'a', 2, 'Ada', 'open'")]);
  await expect(start()).rejects.toThrow(
    'seats: taken_by cannot be unique where {"state":"open","place":{"lt":10}}: records 1 and 2 have the same value.',
  );
  using db = new Database(path);
  db.run('delete from seats where place = 2');
  await (await start()).stop();
  tamper((sql, name) => [`drop index "${name}"`, sql.replace("'open'", "'none'")]);
  await expect(start()).rejects.toThrow(/changed index "seats:,taken_by,\?\w+" on table "seats"/);
});
