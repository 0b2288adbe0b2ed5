/**
 * kill -9 at random moments of `shelf migrate`: the database has the old shape or the new one, whole, and never between. Then running servers change
 * their declarations under load, and are killed.
 */

import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { readConfigFile } from '../src/cli/config/config-file.ts';
import { allSettings } from '../src/cli/settings/settings.ts';
import { collectionsOf } from '../src/collections/registry.ts';
import { everything } from '../src/domain/access/view.ts';
import { everybody } from '../src/domain/store/writes.ts';
import { openEngine, planEngine } from '../src/storage/open.ts';
import { engineOf, engineOptions } from '../test/support/servers/engine.ts';
import { command } from '../test/support/servers/process.ts';
import { type EngineUnderTorture, inTurn, onEngines } from './support/engines.ts';
import { type Judged, type Run, sqliteArgs, type Torture } from './support/torture.ts';
import { integrity } from './support/writers.ts';
import { runTakeovers } from './takeover/run.ts';

/** Two shapes of one collection: each migration renames a field, converts another, and removes or adds an index. */
const shapes = {
  old: { title: { type: 'text', max: 100, was: 'name' }, pages: 'integer' },
  new: { name: { type: 'text', max: 100, was: 'title' }, pages: 'text' },
};
type Shape = keyof typeof shapes;
const indexes = { old: ['title'], new: ['name'] };
const allowed = 'type:books.pages';
/** Of the clients of a short run, which need not fill the machine. */
const shortPauseMs = 10;

export const migration: Torture = (run) =>
  onEngines(run, (engines) => inTurn(engines, (engine) => onEngine(engine, run)));

async function onEngine(engine: EngineUnderTorture, run: Run): Promise<Judged> {
  const { folder, full, say } = run;
  const killed = await killedMigrations(engine, run);
  const running = await runTakeovers(await onDatabaseOfItsOwn(engine, run), {
    ...{ folder, say, changes: full ? 200 : 4, killEvery: 2, pauseMs: full ? 0 : shortPauseMs },
  });
  return {
    figures: { ...killed.figures, ...running.figures },
    complaints: [...killed.complaints, ...running.complaints],
  };
}

async function onDatabaseOfItsOwn({ name, database }: EngineUnderTorture, run: Run): Promise<EngineUnderTorture> {
  if (name === 'sqlite') {
    const path = join(run.folder, 'running.db');
    return { name, database: `sqlite:${path}`, args: sqliteArgs(path, run) };
  }
  const sql = new SQL({ url: database, max: 1 });
  await sql.unsafe('create database running');
  await sql.close();
  const url = new URL(database);
  url.pathname = '/running';
  return { name, database: url.href, args: ['--database', url.href] };
}

async function killedMigrations({ name, database }: EngineUnderTorture, { folder, full, say }: Run): Promise<Judged> {
  const kills = full ? 100 : 2;
  const records = full ? 20_000 : 1500;
  const files = { old: join(folder, `${name}-old.json`), new: join(folder, `${name}-new.json`) };
  for (const shape of ['old', 'new'] as const) {
    const books = { singular: 'book', fields: shapes[shape], indexes: indexes[shape] };
    writeFileSync(files[shape], JSON.stringify({ collections: { books } }));
  }
  const collections = (shape: Shape) => collectionsOf(readConfigFile(files[shape], allSettings).declarations, []);

  await seed(database, collections('old'), records);
  const migrate = (to: Shape) =>
    Bun.spawn([...command, 'migrate', '--config', files[to], '--database', database, '--allow', allowed], {
      stdout: 'ignore',
      stderr: 'ignore',
    });
  // The duration of a whole one, so that kills hit all of its parts.
  const start = performance.now();
  await migrate('new').exited;
  await migrate('old').exited;
  const duration = (performance.now() - start) / 2;

  const complaints: string[] = [];
  const ended = { old: 0, new: 0 };
  let shape: Shape = 'old';
  for (let round = 1; round <= kills; round++) {
    const target: Shape = shape === 'old' ? 'new' : 'old';
    const child = migrate(target);
    await Promise.race([child.exited, Bun.sleep(Math.random() * duration)]);
    child.kill('SIGKILL');
    await child.exited;
    const found = await shapeOf(database, collections);
    if (found === undefined) {
      complaints.push(`round ${round}: the database fits neither file`);
      break;
    }
    ended[found === target ? 'new' : 'old']++;
    shape = found;
    const wrong = await difference(database, collections(shape), records);
    if (wrong !== undefined) complaints.push(`round ${round}: ${wrong}`);
    if (name === 'sqlite') {
      const path = database.replace('sqlite:', '');
      if (integrity(path) !== 'ok') complaints.push(`round ${round}: integrity check: ${integrity(path)}`);
      for (const file of readdirSync(folder)) if (file.includes('.before-')) rmSync(join(folder, file));
    }
    say(`${name} ${round}/${kills}: ${found === target ? 'the new' : 'the old'} shape`);
  }
  say(`${name}: ${ended.old} kills left the old shape, ${ended.new} the new one`);
  return {
    figures: { [`${name} kills`]: kills },
    complaints: complaints.map((one) => `${name}: ${one}`),
  };
}

async function seed(database: string, collections: ReturnType<typeof collectionsOf>, records: number): Promise<void> {
  const store = openEngine(engineOf(database), collections, engineOptions);
  await store.admin.ready;
  const books = collections.at(-1);
  if (books === undefined) throw new Error('there is no collection to fill');
  const bulk = await store.writes.bulk(everybody, books, 'torture');
  await bulk.add(Array.from({ length: records }, (_, index) => `{"title":"t${index}","pages":${index}}`));
  await bulk.commit(undefined);
  await bulk.close();
  await store.admin.close();
}

/** The shape whose file has nothing left to do. */
async function shapeOf(
  database: string,
  collections: (shape: Shape) => ReturnType<typeof collectionsOf>,
): Promise<Shape | undefined> {
  for (const shape of ['old', 'new'] as const) {
    const { changes } = await planEngine(engineOf(database), collections(shape), engineOptions, false);
    if (changes.every(({ steps }) => steps.length === 0)) return shape;
  }
  return undefined;
}

/** Serves the database, and compares all records with what was stored. */
async function difference(
  database: string,
  collections: ReturnType<typeof collectionsOf>,
  records: number,
): Promise<string | undefined> {
  const store = openEngine(engineOf(database), collections, engineOptions);
  try {
    await store.admin.ready;
    const books = collections.at(-1);
    if (books === undefined) return 'there is no collection';
    const page = { where: [], sort: [], after: undefined, limit: 1000 };
    let seen = 0;
    for (let after: { values: []; recordId: number } | undefined, more = true; more; ) {
      const paged = await store.reads.records(everything(books), { ...page, after });
      for (const { row } of paged.records) {
        const { title, name, pages } = row;
        if (String(title ?? name) !== `t${seen}` || String(pages) !== String(seen))
          return `expected record t${seen}, got ${JSON.stringify(row, (_, value) => String(value))}`;
        seen++;
      }
      after = { values: [], recordId: paged.records.at(-1)?.recordId ?? 0 };
      more = paged.more;
    }
    return seen === records ? undefined : `expected ${records} records, got ${seen}`;
  } finally {
    await store.admin.close();
  }
}
