/**
 * npm run bench [-- --quick] [-- --database postgres] [-- --collections] [-- --v2] [-- --tls] [-- --transactions] [-- --queries] [-- --access] [-- --scope REVISION] [-- --log] [-- --otel] [-- --cores all] [-- --import] [-- --move] [-- --client] [-- --console] [-- --replicas]
 * [-- --records 10000000] [-- --profile] [-- --threads 2] [-- --memory] [-- --against REVISION] [-- --peers shelf,fastify] [-- --work get]:
 * compares Shelf with its peers at the same work, interleaved, each server on one core with wrk on the other, or all on all cores.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingTools } from '../scripts/tools/apt.ts';
import type { Claim } from './measure/claim.ts';
import { measure } from './measure/interleaved.ts';
import { chart, claimsTable, type Result, summarize, table } from './measure/report.ts';
import { warmUps } from './measure/two-servers.ts';
import { type Work, works } from './measure/work.ts';
import type { Peer } from './servers/launch.ts';
import { peers } from './servers/peers.ts';
import { flagsOf, shelfPeer } from './servers/shelf.ts';
import { clientBench } from './suites/client.ts';
import { collectionsBench } from './suites/collections.ts';
import { consoleBench } from './suites/console.ts';
import { coresBench } from './suites/cores.ts';
import { importBench } from './suites/data/import.ts';
import { million } from './suites/data/million.ts';
import { moveBench } from './suites/data/move.ts';
import { beyondMemory } from './suites/data/record-counts.ts';
import { openPostgresBench, openPostgresPages } from './suites/postgres.ts';
import { changeCosts, readWorks } from './suites/production.ts';
import { wordsBench, wordsPeers } from './suites/queries/words.ts';
import { queriesBench } from './suites/queries.ts';
import { replicasBench, replicasWorks } from './suites/replicas.ts';
import { tlsBench, tlsClaims, tlsPeers, tlsWorks } from './suites/tls.ts';
import { transactionsBench } from './suites/transactions.ts';
import { type TwoShelves, twoShelves } from './suites/two-shelves.ts';
import { belowFloors, comparisonTable } from './suites/versions/against.ts';
import { starts } from './suites/versions/starts.ts';
import { profile, profileTable } from './threads/profile.ts';
import { durations, memoryTable, threadMemory } from './threads/thread-memory.ts';
import { memoryByThreads, processorTimes, withThreads } from './threads/threads.ts';

const quick = process.argv.includes('--quick');
const onPostgres = process.argv.join(' ').includes('--database postgres');
const ofCollections = process.argv.includes('--collections');
const ofProduction = process.argv.includes('--v2');
const onAllCores = process.argv.join(' ').includes('--cores all');
const argument = (flag: string) => {
  const at = process.argv.indexOf(flag);
  return at < 0 ? undefined : process.argv[at + 1];
};
const revision = argument('--against');
const ofProfile = process.argv.includes('--profile');
const threads = argument('--threads') === undefined ? undefined : Number(argument('--threads'));
if (threads !== undefined && !(Number.isInteger(threads) && threads > 1 && (onAllCores || ofProfile))) {
  process.stderr.write('bench: --threads: expected a number above 1, with --cores all or --profile.\n');
  process.exit(1);
}
/** The ones that the flag names, or all. */
function chosen<Named extends { readonly name: string }>(flag: string, all: readonly Named[]): readonly Named[] {
  const names = argument(flag)?.split(',');
  const unknown = names?.find((name) => all.every((one) => one.name !== name));
  if (unknown === undefined) return all.filter(({ name }) => names?.includes(name) ?? true);
  process.stderr.write(
    `bench: ${flag}: unknown name ${unknown}; known names: ${all.map(({ name }) => name).join(', ')}.\n`,
  );
  process.exit(1);
}

const rounds = quick ? 1 : 3;
/** Of one load, where only the benchmark itself is tried. */
const quickSeconds = 0.2;
const quickPlan = { starts: 1, warmUps: 1, turns: 2, seconds: quickSeconds };
const quickDurations = { starting: quickSeconds, readingPerThread: quickSeconds, returning: quickSeconds };
// The runtime compiles the hot code for some seconds, for each thread and each kind of request anew. On all cores its compiler competes with the load, too.
const [warmUp, seconds] = quick ? [0, quickSeconds] : onAllCores ? [8, 3] : ofProduction ? [6, 2] : [1, 2];
const say = (text: string) => process.stderr.write(`\r\u001b[K${text}`);

/** Runs a benchmark of its own kind in a folder that is removed afterwards. */
async function alone<Found>(bench: (folder: string) => Promise<Found>): Promise<Found> {
  const own = mkdtempSync(join(tmpdir(), 'shelf-bench-run-'));
  try {
    return await bench(own);
  } finally {
    say('');
    rmSync(own, { recursive: true, force: true });
  }
}

/** By the packages that have them. */
function requireTools(packages: Readonly<Record<string, string>>): void {
  const missing = missingTools(packages, 'the benchmark');
  if (missing === undefined) return;
  process.stderr.write(`bench: ${missing}: install it and try again.\n`);
  process.exit(1);
}

/** Writes the figures of a complete run. */
function keep(name: string, figures: object): void {
  if (quick) return;
  const output = { at: new Date().toISOString(), ...figures };
  writeFileSync(join(import.meta.dir, 'results', `${name}.json`), `${JSON.stringify(output, null, 2)}\n`);
}

if (ofCollections && (onPostgres || revision !== undefined)) {
  process.stderr.write(
    'bench: --collections compares with PocketBase, on files: leave out --database and --against.\n',
  );
  process.exit(1);
}
if (process.argv.includes('--move')) {
  const claims = await alone((own) => moveBench(own, quick ? 100_000 : 1_000_000, say));
  process.stdout.write(claimsTable(claims));
  process.exit(claims.every(({ holds }) => holds) ? 0 : 1);
}
if (process.argv.includes('--client')) {
  const claims = await alone((own) => clientBench(own, quick, say));
  process.stdout.write(`The typed client\n${claimsTable(claims)}`);
  keep('client', { claims });
  process.exit(0);
}
if (process.argv.includes('--console')) {
  const claims = await alone((own) => consoleBench(own, quick, say));
  process.stdout.write(`The console, in Chromium\n${claimsTable(claims)}`);
  keep('console', { claims });
  process.exit(quick || claims.every(({ holds }) => holds) ? 0 : 1);
}
if (process.argv.includes('--import')) process.exit(await measureImports());
requireTools({ wrk: 'wrk' });
if (availableParallelism() < 2)
  process.stderr.write('bench: on one core the load slows down the server, so the figures are too low.\n');

if (process.argv.includes('--replicas')) {
  const works = chosen('--work', replicasWorks);
  const claims = await alone((own) =>
    replicasBench({ works, rounds, warmUp, seconds: quick ? 1 : 4, folder: own, say }),
  );
  process.stdout.write(`Reads from standbys\n${claimsTable(claims)}`);
  keep('replicas', { rounds, claims });
  process.exit(claims.every(({ value }) => !value.includes('failed')) ? 0 : 1);
}
if (process.argv.includes('--tls')) {
  // The handshakes alone may take longer than a quick load.
  const plan = { ...(quick ? { ...quickPlan, warmUps: 0 } : { starts: 5, warmUps, turns: 4 }), seconds: 1 };
  const [peers, works] = [chosen('--peers', tlsPeers), chosen('--work', tlsWorks)];
  const { comparisons, notMeasured } = await alone((folder) => tlsBench({ peers, works, plan, folder }, say));
  const claims = tlsClaims(comparisons);
  process.stdout.write(`TLS\n${claimsTable(claims)}`);
  for (const [peer, reason] of Object.entries(notMeasured)) process.stdout.write(`${peer}: not measured (${reason})\n`);
  keep('tls', { plan, comparisons, claims, notMeasured });
  process.exit(comparisons.every(({ errors }) => errors === 0) ? 0 : 1);
}
if (process.argv.includes('--transactions')) {
  const plan = quick ? quickPlan : { starts: 5, warmUps, turns: 4, seconds: 1 };
  const { claims, notMeasured } = await alone((own) => transactionsBench(plan, own, say));
  process.stdout.write(`Transactions of five operations\n${claimsTable(claims)}`);
  for (const [peer, reason] of Object.entries(notMeasured)) process.stdout.write(`${peer}: not measured (${reason})\n`);
  keep('transactions', { plan, claims, notMeasured });
  process.exit(claims.every(({ value }) => value.includes(', 0 errors')) ? 0 : 1);
}
if (process.argv.includes('--queries')) {
  requireTools({ sqlite3: 'sqlite3' });
  const records = quick ? 20_000 : 1_000_000;
  const plan = { records, rounds, seconds, say };
  const words = await alone((folder) => wordsBench({ folder, ...plan, chosen: chosen('--peers', wordsPeers) }));
  const claims = [...(await alone((folder) => queriesBench({ folder, ...plan }))), ...words.claims];
  process.stdout.write(`Queries\n${claimsTable(claims)}`);
  for (const [peer, reason] of Object.entries(words.notMeasured))
    process.stdout.write(`${peer}: not measured (${reason})\n`);
  keep('queries', { rounds, records, claims, notMeasured: words.notMeasured });
  process.exit(quick || claims.every(({ holds }) => holds) ? 0 : 1);
}
if (argument('--records') !== undefined) {
  const records = Number(argument('--records'));
  const claims = await alone((own) =>
    beyondMemory(
      own,
      records,
      quick ? { rounds, warmUp: quickSeconds, seconds } : { rounds, warmUp: 20, seconds: 4 },
      say,
    ),
  );
  process.stdout.write(`${records.toLocaleString('en')} records\n${claimsTable(claims)}`);
  keep('records', { records, claims });
  process.exit(claims.every(({ holds }) => holds) ? 0 : 1);
}
if (ofProfile) {
  const counts = threads === undefined ? [1] : [1, threads];
  const profiles = await alone((own) => profile(counts, quick ? 0 : 5, quick ? quickSeconds : 8, own, say));
  process.stdout.write(profileTable(profiles));
  keep('profile', { profiles });
  process.exit(profiles.every(({ errors }) => errors === 0) ? 0 : 1);
}
const shelves = twoShelves({
  argument,
  has: (flag) => process.argv.includes(flag),
  chosen,
  quickPlan: quick ? quickPlan : undefined,
  say,
});
if (shelves !== undefined) process.exit(await compareShelves(shelves));
if (process.argv.includes('--memory')) {
  const memories = await alone((own) =>
    threadMemory(own, 1000, quick ? [1, 2] : [1, 2, 4, 8], rounds, quick ? quickDurations : durations, say),
  );
  process.stdout.write(memoryTable(1000, memories));
  keep('memory', { rounds, memories });
  process.exit(0);
}
const folder = mkdtempSync(join(tmpdir(), 'shelf-bench-run-'));
/** Returns the exit code: 1 if requests have failed, or a complete run is below a floor. */
async function compareShelves({ plan, name, run }: TwoShelves): Promise<number> {
  const compared = await alone(run);
  if ('reason' in compared) {
    process.stderr.write(`bench: cannot check out the revision: ${compared.reason}\n`);
    return 1;
  }
  process.stdout.write(comparisonTable(compared));
  if (name !== undefined) keep(name, { plan, comparisons: compared });
  const below = quick ? undefined : belowFloors(compared);
  if (below !== undefined) process.stderr.write(`bench: below the floor: ${below}.\n`);
  return below === undefined && compared.every(({ errors }) => errors === 0) ? 0 : 1;
}
/** Returns the exit code. */
async function measureImports(): Promise<number> {
  requireTools({ sqlite3: 'sqlite3', psql: 'postgresql-client' });
  const rows = quick ? 100_000 : 1_000_000;
  const claims = await alone((own) => importBench(own, rows, rounds, say));
  process.stdout.write(`Imports\n${claimsTable(claims)}`);
  keep('import', { rounds, rows, claims });
  return 0;
}

/** What has no peer: compared with Shelf itself. */
async function further(): Promise<Claim[]> {
  if (argument('--peers') !== undefined || argument('--work') !== undefined) return [];
  if (ofCollections) return starts(folder, quick ? 3 : 11, say);
  if (ofProduction && !onPostgres) return changeCosts(folder, rounds, [Math.max(warmUp, 1), seconds], say);
  if (onAllCores)
    return threads === undefined ? [] : memoryByThreads(folder, quick ? 100_000 : 1_000_000, threads, rounds, say);
  return quick || onPostgres ? [] : million(folder, seconds, say);
}

const postgres = onPostgres ? await (ofProduction ? openPostgresPages() : openPostgresBench()) : undefined;
const fields =
  postgres !== undefined
    ? [postgres]
    : ofCollections
      ? [collectionsBench(folder)]
      : ofProduction
        ? [1_000, ...(quick ? [] : [1_000_000])].map((count) => readWorks(folder, count))
        : onAllCores
          ? [coresBench(threads === undefined ? [] : [shelfPeer(withThreads(threads), { flags: flagsOf(threads) })])]
          : [{ peers: peers.filter(({ name }) => name !== 'axum'), works }];
const results: Result[] = [];
const notMeasured: Record<string, string> = {};
const measured = chosen<Work>(
  '--work',
  fields.flatMap((field) => field.works),
);
for (const field of fields) {
  const chosenWorks = field.works.filter((work) => measured.includes(work));
  const plan = {
    peers: chosen<Peer>('--peers', field.peers),
    works: chosenWorks,
    rounds,
    warmUp,
    seconds,
    folder,
    say,
  };
  const found = await measure(plan);
  results.push(...found.results);
  Object.assign(notMeasured, found.notMeasured);
}
await postgres?.close();
const summary = summarize(results);
const claims = [...(threads === undefined ? [] : processorTimes(results, threads)), ...(await further())];
say('');
rmSync(folder, { recursive: true, force: true });

process.stdout.write(table(measured, summary, notMeasured, threads === undefined ? [] : [withThreads(threads)]));
const heading = ofCollections
  ? 'Many collections'
  : ofProduction
    ? 'Changes'
    : onAllCores
      ? 'Threads'
      : 'A million items';
if (claims.length > 0) process.stdout.write(`\n${heading}\n${claimsTable(claims)}`);

const out = join(import.meta.dir, 'results');
mkdirSync(out, { recursive: true });
const output = { at: new Date().toISOString(), quick, rounds, seconds, summary, claims, notMeasured };
const name = onPostgres
  ? `postgres${ofProduction ? '-pages' : ''}`
  : ofCollections
    ? 'collections'
    : ofProduction
      ? 'v2'
      : onAllCores
        ? 'cores'
        : 'latest';
writeFileSync(join(out, `${name}.json`), `${JSON.stringify(output, null, 2)}\n`);
if (name === 'latest') writeFileSync(join(out, 'latest.svg'), chart(works, summary));
const errors = summary.reduce((sum, row) => sum + row.errors, 0);
if (errors > 0) process.stdout.write(`\n${errors} requests failed: these figures are not valid.\n`);
process.exit(errors > 0 ? 1 : 0);
