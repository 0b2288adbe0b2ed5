/** Attacks over the network, in plain HTTP or over TLS, while a healthy client uses the same server and measures its latency. */
import { join } from 'node:path';
import { seed } from '../test/support/data/seed.ts';
import { TlsFolder } from '../test/support/servers/network/tls.ts';
import { type Shelf, startShelf } from '../test/support/servers/process.ts';
import {
  type Attack,
  crowding,
  idle,
  injection,
  largeBodies,
  malformed,
  slowBodies,
  slowHeads,
  slowReaders,
  traversal,
} from './abuse/attacks.ts';
import { declared } from './abuse/declared.ts';
import { guessing, spoofing } from './abuse/doors.ts';
import { abandonedHandshakes, garbage, halfHandshakes, slowHandshakes } from './abuse/handshakes.ts';
import { scripted } from './abuse/pages.ts';
import { comeAsUsual, comeFirst, comeLast } from './abuse/priority.ts';
import { ask } from './abuse/sockets.ts';
import { AnsweringThreads } from './support/answering-threads.ts';
import { CollectingServer } from './support/collecting-server.ts';
import { megabytes } from './support/memory.ts';
import { sqliteArgs, type Torture } from './support/torture.ts';

/**
 * Attacks run in waves with quiet phases between them, because the other load on the machine changes from minute to
 * minute: the healthy client's latency in all waves is compared with its latency in the quiet phases. With `inParts` the
 * waves share the size of the attack; otherwise each wave has the full size. An attack that `stores` large records has its full size in the
 * warm-up too: the server reuses the memory of records, and does not give it back.
 */
type Campaign = { readonly attack: Attack; readonly waves: number; readonly inParts?: true; readonly stores?: true };
const overHttp: Readonly<Record<string, Campaign>> = {
  'slow heads': { attack: slowHeads, waves: 3 },
  'slow bodies': { attack: slowBodies, waves: 3 },
  'slow readers': { attack: slowReaders, waves: 3 },
  'idle connections': { attack: idle, waves: 6 },
  'large bodies': { attack: largeBodies, waves: 4, stores: true },
  'malformed requests': { attack: malformed, waves: 4, inParts: true },
  'declared requests': { attack: declared, waves: 4, inParts: true },
  traversal: { attack: traversal, waves: 1 },
  injection: { attack: injection, waves: 1 },
};
/** With --tls: these, and all of the others over TLS. */
const handshakes: Readonly<Record<string, Campaign>> = {
  'slow handshakes': { attack: slowHandshakes, waves: 1 },
  'half handshakes': { attack: halfHandshakes, waves: 3 },
  'abandoned handshakes': { attack: abandonedHandshakes, waves: 4, inParts: true },
  'bytes that are not TLS': { attack: garbage, waves: 4, inParts: true },
};
/** The short run over TLS leaves out what does not depend on the connection. */
const shortOverTls = ['slow heads', 'slow readers', 'malformed requests', 'injection'];
/** The number of idle connections; the other attacks scale with it. */
const sizes = { full: 10_000, short: 100, warmUp: 1000 };
/** With fewer requests a p99 means nothing. */
const minRequests = 100;

type Window = { readonly requests: number; readonly errors: number; readonly p50: number; readonly p99: number };

export const abuse: Torture = async (run) => {
  const { folder, full, say, threads, tls = false } = run;
  const campaigns = campaignsOf(tls, full);
  const complaints: string[] = [];
  // The short run waits less: its memory check allows for 50 MB that are not released yet.
  const pollMs = full ? 500 : 200;
  const path = join(folder, 'abused.db');
  await seed(path, full ? 50_000 : 5000);
  const server = new CollectingServer(folder, 'the abused server');
  const shelf = await startShelf({
    args: [...sqliteArgs(path, run), '--metrics', 'on', ...(tls ? new TlsFolder(folder).args : [])],
    ...server.start,
  });
  /** Resident after a full collection: the amount of garbage varies by 100 MB. */
  const memory = async () => {
    server.collect();
    await settled(shelf, pollMs);
    return megabytes(shelf.pid);
  };
  const healthy = Bun.spawn([process.execPath, join(import.meta.dir, 'abuse/healthy.ts'), shelf.url], {
    stdin: 'pipe',
    stdout: 'pipe',
  });
  const begin = (window: string) => {
    healthy.stdin.write(`${window}\n`);
    healthy.stdin.flush();
  };
  try {
    begin('warm-up');
    // Two clients of its own, which are compared with each other. Not about the connection.
    const crowded = tls ? undefined : await crowding(shelf.url, full ? 50 : 3);
    if (crowded !== undefined) {
      const { median, slowest, greedy, bodies } = crowded.figures;
      complaints.push(...crowded.complaints);
      say(
        `60 KB beside ${bodies} large bodies of another client: ${median.toFixed(0)} ms, at most ${slowest.toFixed(0)} ms; each of those ${greedy.toFixed(0)} ms`,
      );
    }
    // A small run of each attack first, so that the measurements do not include the warm-up.
    if (full) {
      for (const { attack, stores } of Object.values(campaigns))
        complaints.push(...(await attack(shelf.url, stores ? sizes.full : sizes.warmUp, 0)));
      comeLast(process.pid);
      comeFirst(healthy.pid);
    }
    const before = await memory();
    for (const [name, { attack, waves, inParts }] of Object.entries(campaigns)) {
      const size = full ? sizes.full : sizes.short;
      const times = full ? waves : 1;
      const seen: string[] = [];
      for (let wave = 1; wave <= times; wave++) {
        begin(`quiet, ${name}`);
        await Bun.sleep(full ? 3000 : 300);
        begin(name);
        seen.push(...(await attack(shelf.url, inParts ? size / times : size, wave)));
        // The clean-up after an attack counts as neither attack nor quiet.
        begin('between');
        await Bun.sleep(full ? 500 : 0);
      }
      complaints.push(...seen.map((one) => `${name}: ${one}`));
      say(`${name}: ${seen.length} failures`);
    }
    comeAsUsual(process.pid);
    const after = await memory();
    complaints.push(...(await account(shelf.url)), ...(await serving(shelf.url, threads)));
    // test/api/pages.test.ts and test/openapi/docs-pages.test.ts visit the same pages.
    const scripts = full && !tls ? await scripted(run) : [];
    if (scripts === undefined) say('SKIPPED: stored scripts, because no browser is installed');
    else complaints.push(...scripts);

    await healthy.stdin.end();
    const windows = JSON.parse(await new Response(healthy.stdout).text()) as Record<string, Window>;
    if ((await shelf.stop()) !== 0) complaints.push('the server did not stop cleanly');
    complaints.push(...forged(shelf.output()));

    // Not about the connection.
    const guessed = tls ? undefined : await guessing(run);
    if (guessed !== undefined) complaints.push(...guessed.complaints, ...(await spoofing(run)));
    const { figures, slower } = judge(Object.keys(campaigns), windows, say);
    // Latency depends on the machine, so only the full run checks it.
    if (full) complaints.push(...slower);
    if (after > before * 1.2 + (full ? 0 : 50))
      complaints.push(`memory was not released: ${before.toFixed(0)} MB before, ${after.toFixed(0)} MB after`);
    return {
      complaints,
      figures: {
        ...figures,
        'MB before': Math.round(before),
        'MB after': Math.round(after),
        ...(crowded === undefined ? {} : { 'crowded POST ms': Math.round(crowded.figures.slowest) }),
        ...(guessed === undefined
          ? {}
          : { 'far guess us': Math.round(guessed.farMicros), 'near guess us': Math.round(guessed.nearMicros) }),
      },
    };
  } finally {
    comeAsUsual(process.pid);
    healthy.kill();
    await shelf.stop('SIGKILL');
  }
};

function campaignsOf(tls: boolean, full: boolean): Readonly<Record<string, Campaign>> {
  if (!tls) return overHttp;
  const chosen = Object.entries(overHttp).filter(([name]) => full || shortOverTls.includes(name));
  return { ...handshakes, ...Object.fromEntries(chosen) };
}

/** Waits until the process releases no more memory, for at most a minute. */
async function settled({ pid }: Shelf, pollMs: number): Promise<void> {
  let lowest = megabytes(pid);
  for (let still = 0, polls = 0; still < 4 && polls * pollMs < 60_000; polls++) {
    await Bun.sleep(pollMs);
    const now = megabytes(pid);
    still = now < lowest - 1 ? 0 : still + 1;
    lowest = Math.min(lowest, now);
  }
}

/** The server must hold nothing for connections that are closed. */
async function account(url: string): Promise<string[]> {
  const text = await (await ask(`${url}/metrics`)).text();
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? -1);
  const complaints: string[] = [];
  if (figure('shelf_held_bytes') !== 0) complaints.push(`${figure('shelf_held_bytes')} bytes are still held`);
  // This connection, and those of the healthy client.
  if (figure('shelf_connections') > 10) complaints.push(`${figure('shelf_connections')} connections are still open`);
  if (figure('shelf_http_requests_under_way') > 3) complaints.push('requests are still in flight');
  if (/^shelf_errors_total/m.test(text))
    complaints.push(`internal errors: ${/^shelf_errors_total.*$/m.exec(text)?.[0]}`);
  return complaints;
}

/** All threads must still answer. */
async function serving(url: string, threads: number): Promise<string[]> {
  const answering = new AnsweringThreads();
  const answers = await Promise.all(Array.from({ length: 32 }, () => ask(`${url}/healthz`)));
  for (const { headers } of answers) answering.add(headers.get('X-Request-Id'));
  return answering.complaints(threads);
}

/** Checks that no request has added a line of its own to the log. */
function forged(output: string): string[] {
  const bad = output
    .trimEnd()
    .split('\n')
    .find((line) => {
      try {
        const { time, level, event } = JSON.parse(line) as Record<string, string>;
        return !/^\d{4}-/.test(time ?? '') || level === 'forged' || event === undefined || /\p{Cc}|\p{Zl}/u.test(line);
      } catch {
        return true;
      }
    });
  return bad === undefined ? [] : [`forged log line: ${bad.slice(0, 200)}`];
}

function judge(names: readonly string[], windows: Readonly<Record<string, Window>>, say: (line: string) => void) {
  const slower: string[] = [];
  const figures: Record<string, number> = {};
  for (const name of names) {
    const [attacked, quiet] = [windows[name], windows[`quiet, ${name}`]];
    if (attacked === undefined || quiet === undefined) continue;
    const times = attacked.p99 / quiet.p99;
    say(`healthy client, ${name}: ${describe(attacked)}; quiet: ${describe(quiet)}; p99 ${times.toFixed(1)}x`);
    if (attacked.errors + quiet.errors > 0) slower.push(`requests of the healthy client failed during ${name}`);
    if (attacked.requests < minRequests) continue;
    figures[`p99 us, ${name}`] = Math.max(1, Math.round(attacked.p99 * 1000));
    figures[`p99 us, ${name}, quiet`] = Math.max(1, Math.round(quiet.p99 * 1000));
    if (times > 3) slower.push(`the healthy client's p99 is ${times.toFixed(1)}x during ${name}`);
  }
  return { figures, slower };
}

function describe({ requests, errors, p50, p99 }: Window): string {
  return `${requests} requests, ${errors} errors, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`;
}
