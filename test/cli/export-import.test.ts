/** `shelf export` and `shelf import`: the same records on every engine, verified, all or nothing. */
import { beforeAll, describe, expect, test } from 'bun:test';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { exportDatabase } from '../../src/cli/data/export.ts';
import { databaseOptions } from '../../src/cli/data/options.ts';
import { StartError } from '../../src/domain/errors.ts';
import { farJump } from '../../src/domain/feed/feed-history.ts';
import { exportTo } from '../../src/storage/transfer/folder/export-folder.ts';
import { openSource } from '../../src/storage/transfer/open-databases.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { fill, fullCollections, lists } from '../support/data/full-database.ts';
import { dataOptions, impatient, runExport, runImport, runRestore } from '../support/servers/data-commands.ts';
import { engineOf } from '../support/servers/engine.ts';
import { lastingEngines } from '../support/servers/engines.ts';
import { command, runShelf, startShelf } from '../support/servers/process.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const folder = temporaryFolder();
let made = 0;
const newFolder = () => join(folder, `export-${made++}`);
const engines = lastingEngines();

/** A server on the database, for a moment. */
async function serving<Result>(database: string, use: (server: TestServer) => Promise<Result>): Promise<Result> {
  const server = await startServer({ database, collections: fullCollections });
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}
const listsOf = (database: string) => serving(database, lists);
const filesIn = (from: string) =>
  Object.fromEntries(
    readdirSync(from)
      .filter((name) => name.endsWith('.ndjson'))
      .map((name) => [name, readFileSync(join(from, name), 'utf8')]),
  );
const send = (server: TestServer, method: string, path: string, body?: string) =>
  fetch(`${server.url}/api/v2/${path}`, {
    method,
    ...(body === undefined ? {} : { body, headers: { 'Content-Type': 'application/json' } }),
  });
const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');

/** An export that all tests share. */
const exported = newFolder();
let records: Readonly<Record<string, string>>;
beforeAll(async () => {
  const database = `sqlite:${join(folder, 'source.db')}`;
  records = await serving(database, async (server) => {
    await fill(server, 1200);
    return lists(server);
  });
  expect(await runExport(database, exported)).toMatch(/^Exported 1,2\d\d records of 7 collections from /);
});

/** A copy of it, to damage. */
function exportCopy(): string {
  const copy = newFolder();
  cpSync(exported, copy, { recursive: true });
  return copy;
}

function replaceIn(path: string, from: string | RegExp, to: string): void {
  const text = readFileSync(path, 'utf8');
  const changed = text.replace(from, to);
  expect(changed).not.toBe(text);
  writeFileSync(path, changed);
}

/** Replaces the records of a collection, so that the manifest still fits. */
function rewrite(at: string, name: string, change: (text: string) => string): void {
  const file = join(at, `${name}.ndjson`);
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(file, after);
  const count = (text: string) => text.split('\n').length - 1;
  replaceIn(
    join(at, 'manifest.json'),
    `"records":${count(before)},"sha256":"${sha256(before)}"`,
    `"records":${count(after)},"sha256":"${sha256(after)}"`,
  );
}

describe.each(engines)('%s', (engine, newUrl) => {
  describe('an import into a new database', () => {
    let database: string;
    beforeAll(async () => {
      database = await newUrl();
      expect(await runImport(database, exported)).toMatch(
        /^Imported 1,2\d\d records of 7 collections from \S+ to \S+ in .+ s\.\n$/,
      );
    });

    test('has every record, byte for byte, and so has its export', async () => {
      expect(await listsOf(database)).toEqual(records);
      const again = newFolder();
      expect(await runExport(database, again)).toStartWith('Exported');
      expect(filesIn(again)).toEqual(filesIn(exported));
    });

    test('begins a new epoch: followers read the lists again, and no number is given twice', async () => {
      await serving(database, async (server) => {
        const { last } = await server.store.feed.history();
        for (const after of [0, 1, 1000, 5000]) {
          const answer = await send(server, 'GET', `changes?after=${after}`);
          expect([after, answer.status]).toEqual([after, 410]);
          expect(((await answer.json()) as { detail: string }).detail).toContain(`after=${last}`);
        }
        const { id } = (await (await send(server, 'POST', 'items', '{"name":"n","price":1}')).json()) as { id: number };
        expect(id).toBeGreaterThan(farJump);
        const changes = (await (await send(server, 'GET', `changes?after=${last}`)).json()) as { data: unknown[] };
        expect(changes.data).toHaveLength(1);
        const changed = await send(server, 'PATCH', 'items/2', '{"price":3}');
        expect(((await changed.json()) as { version: number }).version).toBeGreaterThan(farJump);
      });
    });

    test('is not done again', async () => {
      expect(await runImport(database, exported)).toMatch(
        /^failed: The database \S+ is not empty \(.+\): choose a new one, or add what it lacks with --merge\.$/,
      );
    });
  });

  test('an import replaces the first records, and keeps API keys', async () => {
    const database = await newUrl();
    const at = new Date().toISOString();
    const key = { createdAt: at, expiresAt: undefined, revokedAt: undefined, lastUsedAt: undefined };
    await serving(database, ({ store }) =>
      store.admin.apiKeys.add({ ...key, id: 'k', name: 'ci', digest: 'd', scope: 'read', collections: undefined }),
    );
    expect(await runImport(database, exported)).toStartWith('Imported');
    expect(await listsOf(database)).toEqual(records);
    await serving(database, async ({ store }) => expect(await store.admin.apiKeys.list()).toHaveLength(1));
  });

  const file = (at: string, name: string) => join(at, `${name}.ndjson`);
  const manifest = (at: string) => join(at, 'manifest.json');
  const damages: readonly [string, (at: string) => void, RegExp][] = [
    [
      'a record changed',
      (at) => replaceIn(file(at, 'items'), '"price":1e+308', '"price":1e+307'),
      /The SHA-256 of items is not the one in the manifest/,
    ],
    [
      'a record less',
      (at) => replaceIn(file(at, 'items'), /^.*\n/, ''),
      /items has 12\d\d records, and the manifest says 12\d\d/,
    ],
    [
      'a record twice',
      (at) => appendFileSync(file(at, 'users'), readFileSync(file(at, 'users'))),
      /users\.ndjson, line 2: the id 1 is not above the one before/,
    ],
    [
      'half a line',
      (at) => writeFileSync(file(at, 'lots'), readFileSync(file(at, 'lots')).subarray(0, -30)),
      /lots has 8 records, and the manifest says 9/,
    ],
    [
      'a line that is not JSON',
      (at) => replaceIn(file(at, 'items'), '{"id":7,', '{"id":7 '),
      /items\.ndjson, line \d+: .+ The export was changed or is damaged; nothing was imported\./,
    ],
    [
      'a value that its field refuses',
      (at) => replaceIn(file(at, 'books'), '"state":"published"', '"state":"gone"'),
      /books\.ndjson, line 2: state must be one of draft, published\./,
    ],
    ['no file of a collection', (at) => rmSync(file(at, 'users')), /Cannot read \S+users\.ndjson/],
    [
      'a reference to a record that is not there',
      (at) => rewrite(at, 'publishers', () => ''),
      /authors 1 refers to publishers 1 with publisher, which does not exist: nothing was stored/,
    ],
    [
      'two values that must be unique',
      (at) => rewrite(at, 'publishers', (text) => text + text.replace('"id":1', '"id":2')),
      /publishers 1 and 2 have the same name, which must be unique: nothing was stored/,
    ],
    [
      'two records that break a rule of several fields',
      (at) => rewrite(at, 'authors', (text) => text + text.replace('"id":1', '"id":2')),
      /authors 1 and 2 have the same name and born, which must be unique together: nothing was stored/,
    ],
    [
      'two records that break a rule with a condition',
      (at) => rewrite(at, 'authors', (text) => text + text.replace('"id":1', '"id":2').replace('Borges', 'Bioy')),
      /authors 1 and 2 have the same publisher, which must be unique where \{"born":\{"lt":"1900-01-01"\},"name":\{"ne":"it's"\}\}: nothing/,
    ],
    [
      'a record that does not meet a check rule',
      (at) => rewrite(at, 'lots', (text) => text.replace('"label":"first"', '"label":"it\'s wrong"')),
      /lots 1 does not meet \{"any":\[\{"amount":\{"is":"null"\}\},\{"amount":\{"gt":"-0.5"\}\}\],"not":.*\}: nothing was stored/,
    ],
    ['no manifest', (at) => rmSync(manifest(at)), /has no manifest\.json: it is not a complete export/],
    ['a manifest that is not JSON', (at) => writeFileSync(manifest(at), '{'), /: it is not JSON\.$/],
    [
      'a manifest of another format',
      (at) => replaceIn(manifest(at), 'export 1', 'export 2'),
      /: its format is not "shelf export 1"\.$/,
    ],
    [
      'a name in the manifest that is none',
      (at) => {
        replaceIn(manifest(at), '"name":"users"', '"name":"x\\" (a); --"');
        replaceIn(manifest(at), '"file":"users.ndjson"', '"file":"x\\" (a); --.ndjson"');
      },
      /is not a manifest of shelf export: x" \(a\); --: must have only/,
    ],
    [
      'a file elsewhere in the manifest',
      (at) => replaceIn(manifest(at), '"file":"users.ndjson"', '"file":"../users.ndjson"'),
      /the file of "users" has another name/,
    ],
    [
      'a wrong declaration in the manifest',
      (at) => replaceIn(manifest(at), '"type":"decimal","scale":2', '"type":"decimal","scale":77'),
      /is not a manifest of shelf export: books\.fields\.price/,
    ],
  ];
  test.each(damages)('an export with %s is refused, and nothing is imported', async (_, damage, expected) => {
    const copy = exportCopy();
    damage(copy);
    const database = await newUrl();
    const failed = await runImport(database, copy);
    expect(failed).toStartWith('failed: ');
    expect(failed).toMatch(expected);
    expect(failed).not.toContain('\n');
    if (engine === 'sqlite') expect(existsSync(database.slice('sqlite:'.length))).toBe(false);
    expect(await runImport(database, exported)).toStartWith('Imported');
  });

  test('an import that is killed leaves the database as it was, and can be run again', async () => {
    const database = await newUrl();
    const args = ['import', exported, '--database'];
    const began = performance.now();
    expect((await runShelf({ args: [...args, await newUrl()] })).code).toBe(0);
    const wholeMs = performance.now() - began;
    for (const part of [0.5, 0.7, 0.9]) {
      const child = Bun.spawn([...command, ...args, database], { stdout: 'ignore', stderr: 'ignore' });
      await Bun.sleep(wholeMs * part);
      child.kill('SIGKILL');
      await child.exited;
    }
    let last = await runImport(database, exported);
    while (last.includes('in use')) last = await runImport(database, exported);
    // The last kill may have come after the end.
    if (last.startsWith('failed')) expect(last).toContain('is not empty');
    expect(await listsOf(database)).toEqual(records);
  });

  describe('--merge', () => {
    let database: string;
    beforeAll(async () => {
      database = await newUrl();
      expect(await runImport(database, exported)).toStartWith('Imported');
    });

    test('adds what is missing, with ids, versions and times, and tells followers', async () => {
      const last = await serving(database, async (server) => {
        for (const path of ['items/3', 'items/700', 'reviews/1'])
          expect((await send(server, 'DELETE', path)).status).toBe(204);
        await send(server, 'POST', 'items', '{"name":"added later","price":1}');
        return (await server.store.feed.history()).last;
      });
      expect(await runImport(database, exported, true)).toMatch(
        /^Imported 3 records of 7 collections from \S+ to \S+ in .+ s; 1,2\d\d records were there already\.\n$/,
      );
      await serving(database, async (server) => {
        // A follower that is up to date continues, and gets what was added.
        const { data } = (await (await send(server, 'GET', `changes?after=${last}`)).json()) as {
          data: { type: string; record: { id: number } }[];
        };
        const added = data.map(({ type, record }) => [type, record.id]);
        expect(added).toEqual([
          ['item.created', 3],
          ['item.created', 700],
          ['review.created', 1],
        ]);
        const feed = await (await send(server, 'GET', `changes?after=${last}`)).text();
        for (const [name, path] of [
          ['items', 'items/3'],
          ['items', 'items/700'],
          ['reviews', 'reviews/1'],
        ] as const) {
          const record = await (await send(server, 'GET', path)).text();
          expect(records[name]).toContain(`${record}\n`);
          expect(feed).toContain(`"record":${record}`);
        }
        const { id } = (await (await send(server, 'POST', 'items', '{"name":"n","price":1}')).json()) as { id: number };
        expect(id).toBeGreaterThan(last);
        const changed = await send(server, 'PATCH', 'items/3', '{"price":3}');
        expect(((await changed.json()) as { version: number }).version).toBeGreaterThan(last);
      });
    });

    test('does nothing if nothing is missing', async () => {
      const fresh = await newUrl();
      expect(await runImport(fresh, exported)).toStartWith('Imported');
      const before = await serving(fresh, ({ store }) => store.feed.history());
      expect(await runImport(fresh, exported, true)).toMatch(
        /^Imported 0 records of 7 collections .+; 1,2\d\d records were there already\.\n$/,
      );
      expect(await serving(fresh, ({ store }) => store.feed.history())).toEqual(before);
    });

    const refusals: readonly [string, (server: TestServer) => Promise<unknown>, RegExp][] = [
      [
        'a record that differs',
        (server) => send(server, 'PATCH', 'items/9', '{"name":"changed"}'),
        /items 9 is another record in the database than in the export: nothing was imported/,
      ],
      [
        'a value that must be unique',
        async (server) => {
          await send(server, 'DELETE', 'books/2');
          const book = '{"title":"T","isbn":"9780000000002","price":"1","author":1}';
          expect((await send(server, 'POST', 'books', book)).status).toBe(201);
        },
        /books 2 has a value that must be unique, and another record has it: nothing was imported/,
      ],
    ];
    test.each(refusals)('with %s is all or nothing', async (_, change, expected) => {
      const fresh = await newUrl();
      expect(await runImport(fresh, exported)).toStartWith('Imported');
      const before = await serving(fresh, async (server) => {
        await change(server);
        await send(server, 'DELETE', 'items/2');
        return lists(server);
      });
      expect(await runImport(fresh, exported, true)).toMatch(expected);
      expect(await listsOf(fresh)).toEqual(before);
    });

    test('of a collection that is declared otherwise, or not at all, is refused', async () => {
      const fresh = await newUrl();
      await (await startServer({ database: fresh })).stop();
      expect(await runImport(fresh, exported, true)).toMatch(
        /(publishers|lots): declare it, run shelf migrate, and retry/,
      );
      const other = exportCopy();
      replaceIn(join(other, 'manifest.json'), '"name":{"type":"text","max":100', '"name":{"type":"text","max":101');
      expect(await runImport(database, other, true)).toContain('publishers is declared otherwise in the database');
    });

    test('is refused while a server runs', async () => {
      const fresh = await newUrl();
      const server = await startShelf({ args: ['--database', fresh, '--log', 'off'] });
      await fetch(`${server.url}/api/items`);
      expect(await runImport(fresh, exported, true, impatient)).toMatch(
        /is in use by a Shelf server|A Shelf server uses/,
      );
      await server.stop();
    });
  });

  test('an export during writes is of one moment', async () => {
    const database = await newUrl();
    const server = await startShelf({ args: ['--database', database, '--log', 'off'] });
    let writing = true;
    let written = 0;
    // A user is added after each item: at any moment there are as many, or one item more.
    const writer = (async () => {
      while (writing) {
        await fetch(`${server.url}/api/v2/items`, { method: 'POST', body: '{"name":"n","price":1}' });
        await fetch(`${server.url}/api/v2/users`, { method: 'POST', body: '{"name":"n"}' });
        written++;
      }
    })();
    while (written < 50) await Bun.sleep(2);
    const to = newFolder();
    const { code, stdout } = await runShelf({ args: ['export', to, '--database', database] });
    writing = false;
    await writer;
    await server.stop();
    expect(stdout).toMatch(/^Exported [\d,]+ records of 2 collections from \S+ to \S+ in .+ s\.\n$/);
    expect(code).toBe(0);
    const count = (name: string) => readFileSync(join(to, `${name}.ndjson`), 'utf8').split('\n').length - 1;
    expect(count('items')).toBeGreaterThan(50);
    expect([0, 1]).toContain(count('items') - count('users'));
  });
});

test('a backup from before a merge, restored, gives out no number of the merge again', async () => {
  const path = join(folder, 'merged.db');
  const database = `sqlite:${path}`;
  expect(await runImport(database, exported)).toStartWith('Imported');
  const add = async (server: TestServer) =>
    ((await (await send(server, 'POST', 'items', '{"name":"n","price":1}')).json()) as { id: number }).id;
  await serving(database, (server) => send(server, 'DELETE', 'items/5'));
  const backup = join(folder, 'before-merge.db');
  expect((await runShelf({ args: ['backup', backup, '--database', database] })).code).toBe(0);
  expect(await runImport(database, exported, true)).toStartWith('Imported 1 record');
  const merged = await serving(database, add);
  expect(await runRestore(path, backup)).toStartWith('Restored');
  expect(await serving(database, add)).toBeGreaterThan(merged);
  // Also if the merge was the last thing that happened.
  expect(await runImport(database, exported, true)).toMatch(/^(Imported|failed: items)/);
  expect(await runRestore(path, backup)).toStartWith('Restored');
  expect(await serving(database, add)).toBeGreaterThan(merged + 1);
});

test('a backup from before an import, restored, gives out no number of the import again', async () => {
  const path = join(folder, 'imported.db');
  const database = `sqlite:${path}`;
  const add = async (server: TestServer) =>
    ((await (await send(server, 'POST', 'items', '{"name":"n","price":1}')).json()) as { id: number }).id;
  await serving(database, async () => {});
  const backup = join(folder, 'before-import.db');
  expect((await runShelf({ args: ['backup', backup, '--database', database] })).code).toBe(0);
  expect(await runImport(database, exported)).toStartWith('Imported');
  const imported = await serving(database, add);
  expect(await runRestore(path, backup)).toStartWith('Restored');
  expect(await serving(database, add)).toBeGreaterThan(imported);
});

describe('the folder of an export', () => {
  const database = `sqlite:${join(folder, 'source.db')}`;

  test('is private, and has a manifest with every collection', () => {
    expect(statSync(exported).mode & 0o077).toBe(0);
    for (const name of readdirSync(exported)) expect(statSync(join(exported, name)).mode & 0o077).toBe(0);
    const manifest = JSON.parse(readFileSync(join(exported, 'manifest.json'), 'utf8'));
    for (const { file, records: count, sha256: digest } of manifest.collections) {
      const text = readFileSync(join(exported, file), 'utf8');
      expect([file, text.split('\n').length - 1, sha256(text)]).toEqual([file, count, digest]);
    }
    const names = manifest.collections.map(({ name }: { name: string }) => name);
    expect(names).toEqual(fullCollections.map(({ name }) => name));
  });

  test.each<[string, (to: string) => void, RegExp]>([
    [
      'not empty',
      (to) => {
        mkdirSync(to);
        writeFileSync(join(to, 'x'), '');
      },
      /is not empty: choose a new folder\.$/,
    ],
    ['a file', (to) => writeFileSync(to, ''), /Cannot export to .+: choose a new folder\.$/],
    [
      'one of an interrupted export',
      (to) => {
        mkdirSync(to);
        writeFileSync(join(to, '.items.ndjson.partial'), '');
      },
      /has an export that was interrupted: delete the folder, and retry\.$/,
    ],
    [
      'one that every user can write to',
      (to) => {
        mkdirSync(to);
        chmodSync(to, 0o777);
      },
      /Every user can write to (.+) \(mode 777\) and could replace the export: choose a folder elsewhere, or run chmod o-w \1$/,
    ],
  ])('that is %s is refused', async (_, prepare, expected) => {
    const to = newFolder();
    prepare(to);
    expect(await runExport(database, to)).toMatch(expected);
  });

  test.each(['775', '2770', '1777'])('of mode %s is accepted, and so is a new one in such a folder', async (mode) => {
    const to = newFolder();
    mkdirSync(to);
    chmodSync(to, Number.parseInt(mode, 8));
    expect(await runExport(database, join(to, 'new', 'export'))).toStartWith('Exported');
    rmSync(join(to, 'new'), { recursive: true });
    expect(await runExport(database, to)).toStartWith('Exported');
  });

  test('in one that every user can write to is refused: they could rename it', async () => {
    const outer = newFolder();
    mkdirSync(join(outer, 'empty'), { recursive: true });
    chmodSync(outer, 0o777);
    for (const to of ['new', join('new', 'export'), 'empty'])
      expect(await runExport(database, join(outer, to))).toEndWith(
        `Every user can write to ${outer} (mode 777) and could replace the export: choose a folder elsewhere, or run chmod o-w ${outer}`,
      );
    expect(readdirSync(outer)).toEqual(['empty']);
  });

  // Only root can give a folder away.
  test.if(process.getuid?.() === 0)('that belongs to another user, or is in such a one, is refused', async () => {
    const outer = newFolder();
    mkdirSync(outer);
    chownSync(outer, 65534, 65534);
    for (const to of [outer, join(outer, 'new')])
      expect(await runExport(database, to)).toEndWith(
        `${outer} belongs to another user (65534), who could replace the export: choose a folder elsewhere.`,
      );
  });

  test.each(['.manifest.json.partial', '.users.ndjson.partial'])('%s is not followed if it is a link', async (name) => {
    const [to, other] = [newFolder(), join(folder, `other-${made}`)];
    writeFileSync(other, 'as it was');
    const engine = engineOf(database);
    const source = await openSource(engine, databaseOptions(engine, dataOptions), false);
    const { version, signal } = dataOptions;
    const plant = () => existsSync(join(to, name)) || symlinkSync(other, join(to, name));
    const failed = exportTo(to, source, { version, at: '', signal, onRows: plant });
    expect(await failed.catch((error: Error) => error.message)).toBe(
      `${join(to, name)} was created by another program at the same time: nothing was written to it. Retry.`,
    );
    await source.close();
    expect(readFileSync(other, 'utf8')).toBe('as it was');
  });

  test('is removed if the export is stopped', async () => {
    const to = newFolder();
    const stopped = AbortSignal.abort(new StartError('Stopped.'));
    const failed = exportDatabase(engineOf(database), to, { ...dataOptions, signal: stopped });
    expect(await failed.catch((error: Error) => error.message)).toBe('Stopped.');
    expect(existsSync(to)).toBe(false);
  });

  test('can exist already, if it is empty', async () => {
    const to = newFolder();
    mkdirSync(to);
    expect(await runExport(database, to)).toStartWith('Exported');
  });
});

test.each([
  [['export'], 'Usage: shelf export DIR'],
  [['import'], 'Usage: shelf import FILE --collection NAME, or shelf import DIR [--merge]'],
  [
    ['import', 'x', '--merge', '--collection', 'items'],
    '--merge is only valid with a folder of shelf export: leave it out.',
  ],
  [['import', 'x', '--dry-run'], '--dry-run is only valid with --collection: leave it out.'],
  [['import', 'x', '--merge', 'maybe'], '--merge must be on or off.'],
])('%p is answered with one line', async (args, line) => {
  const { code, stderr } = await runShelf({ args });
  expect({ code, stderr }).toEqual({ code: 2, stderr: `shelf: ${line}\n` });
});
