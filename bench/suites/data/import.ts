/**
 * npm run bench -- --import: a file into SQLite and PostgreSQL, beside the tools of these databases, into the same columns with the
 * same index, and as durable. Shelf validates every row and writes the change feed, too.
 */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemTool } from '../../../scripts/tools/system-tool.ts';
import { Cluster } from '../../../test/postgres/cluster.ts';
import { type Claim, median } from '../../measure/claim.ts';
import { root } from '../../servers/launch.ts';

const least = 0.5;
const mostMb = 100;

const declaration = {
  items: false,
  users: false,
  collections: {
    books: {
      singular: 'book',
      fields: {
        title: 'text',
        author: 'text',
        pages: 'integer',
        price: { type: 'decimal', scale: 2 },
        in_stock: 'boolean',
        published_on: 'date',
      },
      indexes: ['price'],
    },
  },
};
const columns = Object.keys(declaration.collections.books.fields);

/** Some titles have commas, so that some cells have quotes. */
function bookOf(n: number): readonly [csv: string, json: string] {
  const title = n % 10 === 0 ? `Title, of book ${n}` : `Title of book ${n}`;
  const [author, pages, price] = [`Author ${n % 5000}`, (n % 900) + 1, `${n % 100}.${(n % 90) + 10}`];
  const day = `${1950 + (n % 70)}-${String((n % 12) + 1).padStart(2, '0')}-${String((n % 28) + 1).padStart(2, '0')}`;
  const inStock = n % 3 !== 0;
  const quoted = title.includes(',') ? `"${title}"` : title;
  return [
    `${quoted},${author},${pages},${price},${inStock},${day}\n`,
    `{"title":"${title}","author":"${author}","pages":${pages},"price":"${price}","in_stock":${inStock},"published_on":"${day}"}\n`,
  ];
}

type Files = Readonly<Record<'csv' | 'ndjson' | 'whole', string>>;

/** `whole` also has the columns that Shelf adds itself, because sqlite3 takes all columns from the file. */
function writeFiles(folder: string, rows: number): Files {
  const files = {
    csv: join(folder, 'books.csv'),
    ndjson: join(folder, 'books.ndjson'),
    whole: join(folder, 'whole.csv'),
  };
  writeFileSync(files.csv, `${columns.join()}\n`);
  writeFileSync(files.ndjson, '');
  writeFileSync(files.whole, '');
  const now = new Date().toISOString();
  const atOnce = 10_000;
  for (let from = 0; from < rows; from += atOnce) {
    const books = Array.from({ length: Math.min(atOnce, rows - from) }, (_, n) => bookOf(from + n));
    appendFileSync(files.csv, books.map(([csv]) => csv).join(''));
    appendFileSync(files.ndjson, books.map(([, json]) => json).join(''));
    const whole = books.map(([csv], n) => `${from + n + 1},${csv.trimEnd()},1,${now},${now}\n`);
    appendFileSync(files.whole, whole.join(''));
  }
  return files;
}

type Measured = { readonly seconds: number; readonly peakMb: number };

/** The time and the peak of the memory of a command. Throws if it fails. */
async function run(command: readonly string[], cwd: string, input?: string): Promise<Measured> {
  const began = performance.now();
  const child = Bun.spawn([...command], {
    cwd,
    stdin: input === undefined ? 'ignore' : new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let peakMb = 0;
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, peakOf(child.pid));
  }, 20);
  const output = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const code = await child.exited;
  clearInterval(watch);
  const seconds = (performance.now() - began) / 1000;
  if (code !== 0) throw new Error(`${command.join(' ')} failed: ${(await output).join('')}`);
  return { seconds, peakMb };
}

function peakOf(pid: number): number {
  try {
    const [, kb = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kb) / 1024;
  } catch {
    // It has just ended.
    return 0;
  }
}

const shelf = (folder: string, url: string, ...args: string[]) => [
  process.execPath,
  join(root, 'src/cli/main.ts'),
  ...args,
  '--database',
  url,
  '--config',
  join(folder, 'shelf.json'),
];

type Subject = {
  readonly engine: string;
  readonly peer: string;
  /** An empty database for Shelf. */
  newUrl(round: number): Promise<string>;
  runPeer(files: Files, round: number): Promise<Measured>;
  close(): Promise<void>;
};

function sqlite(folder: string): Subject {
  const tool = systemTool('sqlite3') ?? '';
  const types = ['text', 'text', 'integer', 'any', 'any', 'text'];
  const own = columns.map((column, at) => `${column} ${types[at]} not null`).join(', ');
  const others = 'version integer not null, created_at text not null, updated_at text not null';
  const script = (file: string) => `pragma journal_mode = wal;
pragma synchronous = full;
create table books (seq integer primary key, ${own}, ${others}) strict;
create index books_by_price on books (price, seq);
.mode csv
.import ${file} books
`;
  return {
    engine: 'SQLite',
    peer: 'sqlite3 .import',
    newUrl: async (round) => {
      for (const end of ['', '-wal', '-shm', '-lock']) rmSync(join(folder, `${round}.db${end}`), { force: true });
      return `sqlite:${join(folder, `${round}.db`)}`;
    },
    runPeer: ({ whole }, round) => {
      rmSync(join(folder, `peer-${round}.db`), { force: true });
      return run([tool, join(folder, `peer-${round}.db`)], folder, script(whole));
    },
    close: async () => {},
  };
}

async function postgres(folder: string): Promise<Subject> {
  const tool = systemTool('psql') ?? '';
  const cluster = await new Cluster().start();
  const types = ['text', 'text', 'bigint', 'numeric(19, 2)', 'boolean', 'date'];
  const own = columns.map((column, at) => `${column} ${types[at]} not null`).join(', ');
  const others =
    'version bigint not null default 1, created_at timestamptz(3) not null default now(), updated_at timestamptz(3) not null default now()';
  const table = `create table books (seq bigint generated always as identity primary key, ${own}, ${others})`;
  const newDatabase = async (name: string) => {
    await using admin = new Bun.SQL(cluster.url(), { max: 1 });
    await admin.unsafe(`drop database if exists ${name}`);
    await admin.unsafe(`create database ${name}`);
    return cluster.url(name);
  };
  return {
    engine: 'PostgreSQL',
    peer: 'psql \\copy',
    newUrl: (round) => newDatabase(`shelf_${round}`),
    runPeer: async ({ csv }, round) => {
      const url = await newDatabase(`peer_${round}`);
      await using db = new Bun.SQL(url, { max: 1 });
      await db.unsafe(table);
      await db.unsafe('create index books_by_price on books (price, seq)');
      return run([tool, '-X', '-q', '-c', `\\copy books (${columns.join()}) from '${csv}' csv header`, url], folder);
    },
    close: () => cluster.remove(),
  };
}

export async function importBench(
  folder: string,
  rows: number,
  rounds: number,
  say: (text: string) => void,
): Promise<Claim[]> {
  say(`writing ${rows.toLocaleString('en')} rows`);
  const files = writeFiles(folder, rows);
  writeFileSync(join(folder, 'shelf.json'), JSON.stringify(declaration));
  const empty = join(folder, 'empty.csv');
  writeFileSync(empty, `${columns.join()}\n`);
  const claims: Claim[] = [];
  for (const open of [sqlite, postgres]) {
    const subject = await open(folder);
    try {
      claims.push(...(await compare(subject, folder, { ...files, empty }, rows, rounds, say)));
    } finally {
      await subject.close();
    }
  }
  return claims;
}

async function compare(
  { engine, peer, newUrl, runPeer }: Subject,
  folder: string,
  files: Files & { readonly empty: string },
  rows: number,
  rounds: number,
  say: (text: string) => void,
): Promise<Claim[]> {
  const times = { csv: [] as number[], ndjson: [] as number[], peer: [] as number[] };
  let idle = 0;
  let peak = 0;
  for (let round = 0; round < rounds; round++) {
    for (const format of ['csv', 'ndjson'] as const) {
      say(`${engine}, round ${round + 1}/${rounds}: ${format}`);
      const url = await newUrl(round);
      await run(shelf(folder, url, 'migrate'), folder);
      idle = (await run(shelf(folder, url, 'import', files.empty, '--collection', 'books'), folder)).peakMb;
      const measured = await run(shelf(folder, url, 'import', files[format], '--collection', 'books'), folder);
      times[format].push(measured.seconds);
      peak = Math.max(peak, measured.peakMb - idle);
    }
    say(`${engine}, round ${round + 1}/${rounds}: ${peer}`);
    times.peer.push((await runPeer(files, round)).seconds);
  }
  const theirs = rows / median(times.peer);
  const rate = (perSecond: number) => Math.round(perSecond).toLocaleString('en');
  return [
    ...(['csv', 'ndjson'] as const).map((format) => {
      const ours = rows / median(times[format]);
      return {
        title: `${engine}: ${rows.toLocaleString('en')} rows of ${format}, ${rate(ours)} a second`,
        value: `${(ours / theirs).toFixed(2)}x ${peer} (${rate(theirs)})`,
        must: `>= ${least}x`,
        holds: ours / theirs >= least,
      };
    }),
    {
      title: `${engine}: peak of the memory above that of an empty file`,
      value: `${peak.toFixed(0)} MB`,
      must: `<= ${mostMb} MB`,
      holds: peak <= mostMb,
    },
  ];
}
