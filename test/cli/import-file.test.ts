/** `shelf import FILE`, as a process, into a database and through a server. */
import { describe, expect, test } from 'bun:test';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readCommand } from '../../src/cli/config/config.ts';
import { UsageError } from '../../src/cli/config/environment.ts';
import type { Collection } from '../../src/domain/record/collection.ts';
import { onSmallDisk } from '../../torture/disk/small-disk.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { declared } from '../support/data/library.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { importHere, importInto, targetOf } from '../support/servers/import-here.ts';
import { freePort } from '../support/servers/network/free-port.ts';
import { command, runShelf, startShelf } from '../support/servers/process.ts';
import { startServer } from '../support/servers/server.ts';

const folder = temporaryFolder();
const collections = {
  authors: { singular: 'author', fields: { name: 'text' } },
  books: {
    singular: 'book',
    fields: {
      title: 'text',
      isbn: { type: 'text', max: 20, unique: true, optional: true },
      price: { type: 'decimal', scale: 2, default: '1.00' },
      pages: { type: 'integer', optional: true },
      author: { type: 'reference', to: 'authors', optional: true },
    },
  },
};
const config = write('shelf.json', JSON.stringify({ collections }));
let made = 0;

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}
const newFile = (content: string | Uint8Array, ending = 'csv') => write(`${made++}.${ending}`, content);

const cleanEnv = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', SHELF_CONFIG: config };

/** Without `database` the target is the server in `args`. Lines of progress are left out: a slow machine shows some. */
async function runImport(file: string, args: readonly string[], database?: string, env: Record<string, string> = {}) {
  const to = database === undefined ? [] : ['--database', database];
  const all = ['import', file, '--collection', 'books', ...args, ...to];
  const { stderr, ...rest } = await runShelf({ args: all, env: { SHELF_CONFIG: config, ...env } });
  return { ...rest, stderr: stderr.replace(/^Importing .* a second.*\n/gm, '') };
}

/** With standard input open. */
function startImport(args: readonly string[]) {
  const child = Bun.spawn([...command, 'import', '-', '--collection', 'books', ...args], {
    env: cleanEnv,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr] = [new Response(child.stdout).text(), new Response(child.stderr).text()];
  return {
    child,
    async send(text: string) {
      child.stdin.write(text);
      await child.stdin.flush();
    },
    async end() {
      await child.stdin.end();
      return { code: await child.exited, stdout: await stdout, stderr: await stderr };
    },
    async ended() {
      return { code: await child.exited, stdout: await stdout, stderr: await stderr };
    },
  };
}

const all = declared(collections);
const serve = (database: string) => startServer({ database, collections: all });

function booksOf(some: readonly Collection[]): Collection {
  const books = some.find(({ name }) => name === 'books');
  if (books === undefined) throw new Error('there are books');
  return books;
}

async function titles(database: string): Promise<string[]> {
  const server = await serve(database);
  try {
    const text = await (await fetch(`${server.url}/api/v2/books/export?fields=title&sort=id`)).text();
    return text.trimEnd().split('\r\n').slice(1);
  } finally {
    await server.stop();
  }
}

async function countAt(url: string): Promise<number> {
  const answer = await fetch(`${url}/api/v2/books?count=exact&limit=1`);
  return ((await answer.json()) as { total: number }).total;
}

/** Resolves when the server has at least this many books. */
async function untilAt(url: string, count: number): Promise<void> {
  while ((await countAt(url)) < count) await Bun.sleep(20);
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `b${from + n},${from + n}\n`).join('');
const names = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `b${from + n}`);

async function created(newUrl: () => string | Promise<string>): Promise<string> {
  const database = await newUrl();
  const { code, stderr } = await runShelf({ args: ['migrate', '--database', database], env: { SHELF_CONFIG: config } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return database;
}

describe.each(migratedEngines())('%s', (_, newUrl) => {
  test('CSV, NDJSON and standard input are added exactly, and a second time nothing is', async () => {
    const database = await created(newUrl);
    const csv = newFile('Title,isbn,price,Notes,pages\r\n"a ""b"", c",\'=1,7,x,9007199254740993\r\n"",,,"y\nz",\r\n');
    const map = ['--map', 'Title=title', '--map', 'Notes='];
    const first = await runImport(csv, map, database);
    expect(first.stderr).toBe('');
    expect(first.stdout).toEndWith(': 2 records added.\n');
    expect(first.code).toBe(0);
    expect((await runImport(csv, map, database)).stdout).toMatch(
      /: 0 records added, 2 records in already \(imported at \S+\)\.\n$/,
    );
    const lines = newFile('{"Title":"n1","pages":-9223372036854775808}\n\n{"Title":"n2","id":5}\n', 'ndjson');
    expect((await runImport(lines, ['--map', 'Title=title'], database)).stdout).toEndWith(': 2 records added.\n');
    const piped = startImport(['--database', database]);
    await piped.send('title\npiped\n');
    expect((await piped.end()).stdout).toStartWith('Imported standard input into books of ');

    const server = await serve(database);
    const found = await (await fetch(`${server.url}/api/v2/books/export?fields=title,isbn,price,pages`)).text();
    await server.stop();
    expect(found.split('\r\n')).toEqual([
      'title,isbn,price,pages',
      '"a ""b"", c",\'=1,7.00,9007199254740993',
      '"",,1.00,',
      'n1,,1.00,-9223372036854775808',
      'n2,,1.00,',
      'piped,,1.00,',
      '',
    ]);
  });

  test('a refused row stops it with what is in, and a corrected file goes on without adding anything twice', async () => {
    const database = await created(newUrl);
    const rows = `title,pages\n${numbered(0, 305)}bad,x\nworse\n${numbered(305, 310)}`;
    const file = newFile(rows);
    const order = { file, to: database, collection: booksOf(all), collections: all, batchRows: 100 };
    const stopped = await importHere(order);
    expect(stopped.code).toBe(1);
    const [first, second, last = ''] = stopped.said.trimEnd().split('\n');
    expect(first).toBe(`shelf: ${file}, line 307: pages must be an integer.`);
    expect(second).toBe(`shelf: ${file}, line 308: has 1 cell, and the header has 2 columns.`);
    expect(last).toStartWith(`shelf: Stopped: ${file} is in books of `);
    expect(last).toContain(
      'up to line 301 (300 rows), and nothing after it. Correct the file. Run the same command again: ',
    );
    writeFileSync(file, rows.replace('bad,x\nworse\n', 'good,1\n'));
    const again = await importHere(order);
    expect(again.said).toMatch(/^Imported .*: 11 records added, 300 records in already \(.*\)\.\n$/);
    expect(await titles(database)).toEqual([...names(0, 305), 'good', ...names(305, 310)]);
  });

  test('refused rows go to a file with line and reason, which can be corrected and imported', async () => {
    const database = await created(newUrl);
    const rejects = join(folder, `${made++}-rejects.csv`);
    const rows = ['a,1,2,', 'b,1,3,', 'c,2,x,', '"d\nd",3', 'e,3,4,77', 'f,4,5,', ',5,5,', 'g,1,9,'];
    const file = newFile(`title,isbn,pages,author\n${rows.join('\n')}\n`);
    const { code, stdout, stderr } = await runImport(file, ['--rejects', rejects], database);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toEndWith(`: 2 records added, 6 rows refused, see ${rejects}.\n`);
    const text = readFileSync(rejects, 'utf8');
    const [head, ...others] = text.trimEnd().split(/\n(?=\d)/);
    expect(head).toBe('_line,_reason,_import,title,isbn,pages,author');
    expect(others.map((row) => row.replace(/,[0-9a-f]{8},/, ',ID,')).sort()).toEqual(
      [
        '10,"isbn must be unique; line 2 has this value",ID,g,1,9,',
        '3,"isbn must be unique; line 2 has this value",ID,b,1,3,',
        '4,pages must be an integer,ID,c,2,x,',
        '5,"has 2 cells, and the header has 4 columns",ID,"d\nd",3',
        '7,"author refers to record 77 of authors, which does not exist",ID,e,3,4,77',
        '9,title is required,ID,,5,5,',
      ].sort(),
    );
    // The same import again changes nothing.
    const again = await runImport(file, ['--rejects', rejects], database);
    expect(again.stdout).toMatch(/: 0 records added, 2 records in already \(imported at \S+\), 6 rows refused, see /);
    expect(readFileSync(rejects, 'utf8')).toBe(text);
    // Another import does not overwrite it.
    const other = await runImport(newFile('title\nz\n'), ['--rejects', rejects], database);
    expect(other.stderr).toContain(
      `${rejects} exists already, and is not of this import: choose another name, or move it away.`,
    );
    expect(readFileSync(rejects, 'utf8')).toBe(text);

    const corrected = text
      .replace(',b,1,', ',b,21,')
      .replace('2,x,', '2,7,')
      .replace('"d\nd",3', '"d\nd",3,,')
      .replace('e,3,4,77', 'e,31,4,')
      .replace(/,,5,5,/, ',h,5,5,')
      .replace('g,1,', 'g,22,');
    const fixed = await runImport(newFile(corrected), [], database);
    expect(fixed.stderr).toBe('');
    expect(fixed.stdout).toEndWith(': 6 records added.\n');
    expect((await titles(database)).join('|').replace('"d\nd"', 'd').split('|').sort()).toEqual([...'abcdefgh']);
  });

  test('refused lines of NDJSON go to a file, too', async () => {
    const database = await created(newUrl);
    const rejects = join(folder, `${made++}-rejects.ndjson`);
    const file = newFile('{"title":"a"}\n{ "title": 9007199254740993 }\nnonsense\n{}\n', 'jsonl');
    const { stdout } = await runImport(file, ['--rejects', rejects], database);
    expect(stdout).toEndWith(`: 1 record added, 3 rows refused, see ${rejects}.\n`);
    const lines = readFileSync(rejects, 'utf8')
      .replaceAll(/"_import":"[0-9a-f]{8}"/g, '"_import":"ID"')
      .split('\n');
    expect(lines).toEqual([
      '{"_line":2,"_reason":"title must be a string","_import":"ID","title": 9007199254740993 }',
      expect.stringMatching(/^\{"_line":3,"_reason":"is not valid JSON \(.*\)","_import":"ID","_text":"nonsense"\}$/),
      '{"_line":4,"_reason":"title is required","_import":"ID"}',
      '',
    ]);
    const corrected = readFileSync(rejects, 'utf8').split('\n')[0]?.replace('9007199254740993', '"b"') ?? '';
    expect((await runImport(newFile(corrected, 'ndjson'), [], database)).stdout).toEndWith(': 1 record added.\n');
  });

  test('with --atomic and --dry-run it is all or nothing', async () => {
    const database = await created(newUrl);
    const good = newFile('title,isbn\na,1\nb,2\n');
    const dry = await runImport(good, ['--dry-run'], database);
    expect([dry.code, dry.stdout]).toEqual([
      0,
      expect.stringMatching(/: 2 records can be added to books of .*\. Nothing was added\.\n$/),
    ]);
    expect(await titles(database)).toEqual([]);
    expect((await runImport(good, ['--atomic'], database)).stdout).toEndWith(': 2 records added.\n');
    expect((await runImport(good, ['--atomic'], database)).stdout).toMatch(
      /: 0 records added, 2 records in already \(imported at \S+\)\.\n$/,
    );
    const clash = newFile('title,isbn\n\nc,3\nd,1\ne,3\n');
    const bad = newFile(`title,pages\nc,1\n${'d,x\n'.repeat(30)}`);
    for (const flag of ['--dry-run', '--atomic']) {
      const refused = await runImport(clash, [flag], database);
      expect(refused.code).toBe(1);
      // On PostgreSQL the check has used up ids.
      expect(refused.stderr).toMatch(/, line 4: isbn must be unique; record [13] has this value\.\n/);
      expect(refused.stderr).toContain(`${clash}, line 5: isbn must be unique; line 3 has this value.\n`);
      expect(refused.stderr).toMatch(/2 rows of .* cannot be added to .*\. Nothing was added\.\n$/);
      const wrong = await runImport(bad, [flag], database);
      expect(wrong.stderr).toContain(`${bad}, line 22: pages must be an integer.\nshelf: ${bad}: 10 more problems.\n`);
    }
    expect(await titles(database)).toEqual(['a', 'b']);
  });

  test('after a kill it goes on where it stopped, and the file of refused rows is complete', async () => {
    const database = await created(newUrl);
    const server = await serve(database);
    const rejects = join(folder, `${made++}-rejects.csv`);
    const args = ['--url', server.url, '--rejects', rejects];
    const [first, second] = [
      `title,pages\n${numbered(0, 5000)}bad,x\n${numbered(5000, 9999)}`,
      `bad,y\n${numbered(9999, 15_000)}`,
    ];
    const killed = startImport(args);
    await killed.send(first + second);
    await untilAt(server.url, 9999);
    killed.child.kill('SIGKILL');
    await killed.child.exited;
    const whole = newFile(first + second);
    const done = await runImport(whole, args);
    expect(done.stdout).toMatch(
      /: 5,001 records added, 9,999 records in already \(imported at \S+\), 2 rows refused, see /,
    );
    expect(readFileSync(rejects, 'utf8').replaceAll(/,[0-9a-f]{8},/g, ',ID,')).toBe(
      '_line,_reason,_import,title,pages\n5002,pages must be an integer,ID,bad,x\n10002,pages must be an integer,ID,bad,y\n',
    );
    await server.stop();
    expect(await titles(database)).toEqual(names(0, 15_000));
  });

  test('a server that is killed and restarted half way does not end it', async () => {
    const database = await created(newUrl);
    const port = String(freePort());
    const args = ['--database', database, '--config', config, '--port', port];
    const before = await startShelf({ args });
    const importing = startImport(['--url', before.url]);
    await importing.send(`title,pages\n${numbered(0, 12_000)}`);
    await untilAt(before.url, 10_000);
    await before.stop('SIGKILL');
    await importing.send(numbered(12_000, 21_000));
    const after = await startShelf({ args });
    // The answer to the first batch may have been lost with the server.
    const { code, stdout } = await importing.end();
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /: (?:21,000 records added|11,000 records added, 10,000 records in already \(imported at \S+\))\.\n$/,
      ),
    });
    await after.stop();
    expect(await titles(database)).toEqual(names(0, 21_000));
  });
});

describe('a database file', () => {
  const [sqlite] = migratedEngines();
  const newDatabase = () => created(sqlite?.[1] ?? (() => ''));

  test('Ctrl-C stops it cleanly, and says how to continue', async () => {
    const database = await newDatabase();
    const server = await serve(database);
    const importing = startImport(['--url', server.url]);
    await importing.send(`title,pages\n${numbered(0, 12_000)}`);
    await untilAt(server.url, 10_000);
    importing.child.kill('SIGINT');
    const { code, stdout, stderr } = await importing.ended();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      `shelf: Stopped: standard input is in books of ${server.url} up to line 10001 (10,000 rows), and nothing after it. Run the same command again to continue: what is in is not added twice, for as long as Idempotency-Keys are kept (--idempotency).\n`,
    );
    expect(await countAt(server.url)).toBe(10_000);
    const atomic = startImport(['--url', server.url, '--atomic']);
    await atomic.send('title\nx\n');
    atomic.child.kill('SIGTERM');
    expect((await atomic.ended()).code).not.toBe(0);
    expect(await countAt(server.url)).toBe(10_000);
    await server.stop();
  });

  test('that a server has open is refused with the way through the server', async () => {
    const database = await newDatabase();
    const server = await serve(database);
    const { code, stderr } = await runImport(newFile('title\na\n'), [], database);
    await server.stop();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^shelf: A server has .* open: import through it with --url URL, or stop it first\.\n$/);
  });

  test('that does not exist is not created, and memory: is refused', async () => {
    const file = newFile('title\na\n');
    const missing = join(folder, 'missing.db');
    expect((await runImport(file, [], `sqlite:${missing}`)).stderr).toContain('create it with shelf migrate.\n');
    expect(existsSync(missing)).toBe(false);
    expect((await runImport(file, [], 'memory:')).stderr).toContain('memory: is always a new database');
  });

  const bad: readonly (readonly [what: string, content: string | Uint8Array, said: string])[] = [
    [
      'a wrong header',
      'titl,Pages\na,1\n',
      'line 1: titl unknown field; did you mean "title"?; Pages unknown field; did you mean "pages"?; title is required, and there is no such column.',
    ],
    ['an empty file', '', 'line 1: is empty: the first row names the fields.'],
    ['an open quote', 'title\na\n"b\n', 'line 3: title has a quote that is not closed, from line 3 on.'],
    ['Latin-1', Buffer.from('title\n\xe9\n', 'latin1'), 'line 2: has the byte 0xE9 at offset 6, which is not UTF-8.'],
    [
      'UTF-16',
      Buffer.from('\ufefftitle\n', 'utf16le'),
      'line 1: is UTF-16, not UTF-8: it has the byte 0xFF at offset 0.',
    ],
    ['gzip', Bun.gzipSync('title\na\n'), 'line 1: is compressed with gzip: it has the byte 0x8B at offset 1.'],
    ['garbage', Buffer.from(Array.from({ length: 4096 }, (_, n) => (n * 7919) % 256)), 'which is not UTF-8.'],
    [
      'CR alone',
      'title\ra\r',
      'line 1: column 1 has a carriage return without a line feed: end lines with LF or CRLF.',
    ],
    ['a million columns', `title${',x'.repeat(1_000_000)}\n`, 'line 1: is over the limit of 1048576 characters.'],
    ['many columns', `title${',x'.repeat(5000)}\n`, 'line 1: has more than 1000 columns.'],
  ];
  test('a file that cannot be read is refused with its place, and nothing is added', async () => {
    const database = await newDatabase();
    const target = await targetOf({ to: database, collection: booksOf(all), collections: all });
    for (const [what, content, said] of bad) {
      const rejects = join(folder, `${made++}-none.csv`);
      const { code, said: told } = await importInto(target, { file: newFile(content), args: ['--rejects', rejects] });
      expect({ what, code, told }).toMatchObject({ what, code: 1, told: expect.stringContaining(said) });
      expect(told).toContain('Stopped: nothing of ');
      expect({ what, left: existsSync(rejects) }).toEqual({ what, left: false });
    }
    await target.close();
    expect(await titles(database)).toEqual([]);
  });

  test('semicolons and tabs separate cells as in the console, also in the file of refused rows', async () => {
    const database = await newDatabase();
    const order = { to: database, collection: booksOf(all), collections: all };
    for (const [separator, price] of [
      [';', '7,50'],
      ['\t', '7;50'],
    ] as const) {
      const rows = [
        ['title', 'price'],
        ['"a;b"', '7.50'],
        [`c${separator === ';' ? '' : ';'}`, price],
      ];
      const file = newFile(rows.map((cells) => `${cells.join(separator)}\n`).join(''));
      const rejects = join(folder, `${made++}-rejects.csv`);
      const { code, said } = await importHere({ ...order, file, args: ['--rejects', rejects] });
      expect({ code, said }).toMatchObject({
        code: 1,
        said: expect.stringContaining(': 1 record added, 1 row refused, see '),
      });
      const text = readFileSync(rejects, 'utf8');
      expect(text).toStartWith(['_line', '_reason', '_import', 'title', 'price\n3'].join(separator));
      const again = await importHere({ ...order, file, args: ['--rejects', rejects] });
      expect(again.said).toContain('1 row refused, see ');
      expect(readFileSync(rejects, 'utf8')).toBe(text);
      const fixed = await importHere({ ...order, file: newFile(text.replace(price, '8')) });
      expect(fixed.said).toEndWith(': 1 record added.\n');
    }
    expect(await titles(database)).toEqual(['"a;b"', 'c', '"a;b"', '"c;"']);
  });

  test('100 MB in an open quote end early', async () => {
    const database = await newDatabase();
    const path = join(folder, 'huge.csv');
    const file = openSync(path, 'w');
    writeSync(file, 'title\n"');
    const part = Buffer.alloc(1024 * 1024, 'x');
    for (let sent = 0; sent < 100; sent++) writeSync(file, part);
    closeSync(file);
    const { stderr } = await runImport(path, [], database);
    expect(stderr).toContain('line 2: title is over the limit of 1048576 characters, because a quote is not closed.');
  });

  test('arguments that make no sense are refused, with exit code 2', async () => {
    const file = newFile('title\na\n');
    const usages = [
      [['import', file], 'Usage: shelf import FILE'],
      [['import', '--collection', 'books'], 'Usage: shelf import FILE'],
      [['import', file, '--collection', 'books', '--map', 'x'], '--map must be a column and a field'],
      [['import', file, '--collection', 'books', '--map', 'x=a', '--map', 'x=b'], 'has the column "x" twice'],
      [
        ['import', file, '--collection', 'books', '--atomic', '--rejects', 'r.csv'],
        '--rejects has no effect with --atomic',
      ],
      [['import', file, '--collection', 'books', '--again', '--dry-run'], '--again has no effect with --dry-run'],
      [['import', file, '--collection', 'books', '--key-file', 'k'], '--key-file is only valid with --url'],
      [['import', folder, '--key', 'isbn'], '--key is only valid with --collection'],
      [['import', file, '--collection', 'books', '--url', 'ftp://x'], '--url must be the address of a server'],
    ] as const;
    for (const [args, said] of usages) {
      expect(() => readCommand(args, {})).toThrow(said);
      expect(() => readCommand(args, {})).toThrow(UsageError);
    }
    expect((await runShelf({ args: ['import', file] })).code).toBe(2);
    const database = await newDatabase();
    const unknown = await runShelf({
      args: ['import', file, '--collection', 'book', '--database', database],
      env: { SHELF_CONFIG: config },
    });
    expect([unknown.code, unknown.stderr]).toEqual([1, 'shelf: There is no collection book; did you mean "books"?\n']);
    expect((await runImport(join(folder, 'none.csv'), [], database)).stderr).toContain('there is no such file.');
    expect((await runImport(folder, [], database)).stderr).toContain('it is a folder.');
    expect((await runImport(file, ['--map', 'Title=title'], database)).stderr).toContain(
      'Title is mapped, and there is no such column; did you mean "title"?',
    );
    expect((await runImport(file, ['--rejects', join(folder, 'no', 'such', 'r.csv')], database)).stderr).toContain(
      'Cannot write ',
    );
  });

  test('a disk that is full stops it with what is in, and with space it goes on', async () => {
    const disk = join(temporaryFolder(), 'disk');
    mkdirSync(disk);
    const file = newFile(`title,pages\n${numbered(0, 60_000)}`);
    const result = await onSmallDisk(disk, 64, async () => {
      const database = await created(() => `sqlite:${join(disk, 'shelf.db')}`);
      const ballast = join(disk, 'ballast');
      writeFileSync(ballast, Buffer.alloc(56 * 1024 * 1024));
      const { code, stderr } = await runImport(file, [], database);
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^shelf: The database cannot store this now: nothing was changed; retry shortly \(.*(?:full|ENOSPC).*\)\. Stopped: /,
      );
      expect(stderr).toMatch(
        /(?:is in books of .* up to line \d+ \(.* rows\), and nothing after it|was added to books of)/,
      );
      rmSync(ballast);
      const again = await runImport(file, [], database);
      expect({ code: again.code, stderr: again.stderr }).toEqual({ code: 0, stderr: '' });
      expect(await titles(database)).toEqual(names(0, 60_000));
      return { figures: {}, complaints: [] };
    });
    if ('skipped' in result && process.env.CI) throw new Error(result.skipped);
  });
});

describe('a server', () => {
  test('needs the right key, from a file or the environment', async () => {
    const database = await created(migratedEngines()[0]?.[1] ?? (() => ''));
    const env = { SHELF_CONFIG: config };
    const keyArgs = ['keys', 'create', '--name', 'importer', '--scope', 'write', '--database', database];
    const key = (await runShelf({ args: keyArgs, env })).stdout.trim();
    const server = await startServer({ database, collections: declared(collections), access: { auth: 'all' } });
    const file = newFile('title\nkeyed\n');
    const url = ['--url', `${server.url}/`];
    const without = await runImport(file, url);
    expect(without.stderr).toContain('Missing or invalid API key');
    expect(without.stderr).toEndWith('): set SHELF_KEY or --key-file.\n');
    expect((await runImport(file, url, undefined, { SHELF_KEY: key })).stdout).toEndWith(': 1 record added.\n');
    const keyFile = newFile(`${key}\n`, 'key');
    expect((await runImport(file, [...url, '--key-file', keyFile])).stdout).toMatch(
      /: 0 records added, 1 record in already \(imported at \S+\)\.\n$/,
    );
    const feed = await (
      await fetch(`${server.url}/api/v2/changes?collection=books`, { headers: { 'X-API-Key': key } })
    ).text();
    expect(feed).toContain('"by":"importer"');
    await server.stop();
    const gone = await runImport(file, url);
    expect([gone.code, gone.stderr]).toEqual([
      1,
      expect.stringMatching(/^shelf: Cannot import to http.* \(no answer from .*\): check --url\.\n$/),
    ]);
  });

  test('takes the contract id of items, and another page is not a server', async () => {
    const server = await startServer();
    const items = newFile('external_id,name,price\n9223372036854775807,Lamp,0.1\n,Desk,-0\n');
    const args = ['import', items, '--collection', 'items', '--url', server.url];
    expect((await runShelf({ args })).stdout).toEndWith(': 2 records added.\n');
    expect(await (await fetch(`${server.url}/api/items`)).text()).toContain(
      '{"id":9223372036854775807,"name":"Lamp","price":0.1},{"id":3,"name":"Desk","price":-0}',
    );
    const atomic = await runShelf({ args: [...args, '--atomic'] });
    expect(atomic.stdout).toMatch(/: 0 records added, 2 records in already \(imported at \S+\)\.\n$/);
    expect((await runShelf({ args: [...args, '--dry-run'] })).stdout).toContain(
      ': 2 records can be added to items of ',
    );
    const none = await runShelf({ args: ['import', items, '--collection', 'nothing', '--url', server.url] });
    expect(none.stderr).toContain(`${server.url} has no collection nothing`);
    await server.stop();
    using page = Bun.serve({ port: 0, fetch: () => new Response('<html>') });
    const wrong = await runShelf({ args: [...args.slice(0, -1), `http://127.0.0.1:${page.port}`] });
    expect(wrong.stderr).toEndWith('(it is not a Shelf server): check --url.\n');
  });
});
