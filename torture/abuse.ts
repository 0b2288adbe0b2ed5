/** Everything that a stranger on the network can do, to a server that others are using. */
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { type Shelf, startShelf } from '../test/process.ts';
import { seed } from '../test/seed.ts';
import {
  type Attack,
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
import { scripted } from './abuse/pages.ts';
import type { Torture } from './main.ts';
import { megabytes } from './memory.ts';

const attacks: Readonly<Record<string, Attack>> = {
  'slow heads': slowHeads,
  'slow bodies': slowBodies,
  'slow readers': slowReaders,
  'idle connections': idle,
  'large bodies': largeBodies,
  'malformed requests': malformed,
  'declared requests': declared,
  traversal,
  injection,
};
/** Idle connections; the other attacks are in proportion. */
const sizes = { full: 10_000, short: 300 };

type Window = { readonly requests: number; readonly errors: number; readonly p50: number; readonly p99: number };

export const abuse: Torture = async (run) => {
  const { folder, full, say } = run;
  const complaints: string[] = [];
  const path = join(folder, 'abused.db');
  await seed(path, 50_000);
  const shelf = await startShelf({ args: ['--database', `sqlite:${path}`, '--metrics', 'on'] });
  const healthy = Bun.spawn([process.execPath, join(import.meta.dir, 'abuse/healthy.ts'), shelf.url], {
    stdin: 'pipe',
    stdout: 'pipe',
  });
  const begin = (window: string) => {
    healthy.stdin.write(`${window}\n`);
    healthy.stdin.flush();
  };
  // The attackers give way to the healthy client, so that it is the server that makes it wait, if anybody does.
  if (full) setPriority(constants.priority.PRIORITY_LOW);
  try {
    // Once in little, so that what is measured is not how a server warms up.
    begin('warm-up');
    if (full) for (const attack of Object.values(attacks)) complaints.push(...(await attack(shelf.url, 500)));
    await settled(shelf);
    const before = megabytes(shelf.pid);
    for (const [name, attack] of Object.entries(attacks)) {
      // What else the machine does changes from minute to minute, so each is held against the quiet around it.
      begin(`quiet before ${name}`);
      await Bun.sleep(full ? 4000 : 300);
      begin(name);
      const seen = await attack(shelf.url, full ? sizes.full : sizes.short);
      complaints.push(...seen.map((one) => `${name}: ${one}`));
      say(`${name}: ${seen.length} complaints`);
    }
    begin('quiet afterwards');
    await settled(shelf);
    const after = megabytes(shelf.pid);
    complaints.push(...(await account(shelf.url)));
    const scripts = await scripted();
    if (scripts === undefined) say('SKIPPED: there is no browser to run stored scripts in');
    else complaints.push(...scripts);

    await healthy.stdin.end();
    const windows = JSON.parse(await new Response(healthy.stdout).text()) as Record<string, Window>;
    if ((await shelf.stop()) !== 0) complaints.push('it did not stop cleanly');
    complaints.push(...forged(shelf.output()));

    const guessed = await guessing(run);
    complaints.push(...guessed.complaints, ...(await spoofing()));
    const { figures, slower } = judge(windows, say);
    // How fast the machine is says nothing, so only the full form judges it.
    if (full) complaints.push(...slower);
    if (after > before * 1.2 + (full ? 0 : 50))
      complaints.push(`it has ${after.toFixed(0)} MB, and had ${before.toFixed(0)}`);
    return {
      complaints,
      figures: {
        ...figures,
        'MB before': Math.round(before),
        'MB after': Math.round(after),
        'far guess us': Math.round(guessed.farMicros),
        'near guess us': Math.round(guessed.nearMicros),
      },
    };
  } finally {
    if (process.getuid?.() === 0) setPriority(constants.priority.PRIORITY_NORMAL);
    healthy.kill();
    await shelf.stop('SIGKILL');
  }
};

/** Waits until the memory is not given back any more, at most a minute. */
async function settled({ pid }: Shelf): Promise<void> {
  let lowest = megabytes(pid);
  for (let still = 0, looks = 0; still < 4 && looks < 120; looks++) {
    await Bun.sleep(500);
    const now = megabytes(pid);
    still = now < lowest - 1 ? 0 : still + 1;
    lowest = Math.min(lowest, now);
  }
}

/** Nothing may be left in hand of those who are gone. */
async function account(url: string): Promise<string[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? -1);
  const complaints: string[] = [];
  if (figure('shelf_held_bytes') !== 0) complaints.push(`${figure('shelf_held_bytes')} bytes are held for nobody`);
  // This one, and the healthy client with its own.
  if (figure('shelf_connections') > 10) complaints.push(`${figure('shelf_connections')} connections are open`);
  if (figure('shelf_http_requests_under_way') > 3) complaints.push('requests are under way for nobody');
  if (/^shelf_errors_total/m.test(text)) complaints.push(`errors inside: ${/^shelf_errors_total.*$/m.exec(text)?.[0]}`);
  return complaints;
}

/** Every line of the log is one that the server has written. */
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
  return bad === undefined ? [] : [`a line of the log is forged: ${bad.slice(0, 200)}`];
}

function judge(windows: Readonly<Record<string, Window>>, say: (line: string) => void) {
  const quiets = Object.entries(windows).filter(([name]) => name.startsWith('quiet'));
  const calm = quiets.map(([, { p99 }]) => p99).sort((left, right) => left - right)[quiets.length >> 1] ?? 0;
  const slower: string[] = [];
  const figures: Record<string, number> = { 'quiet p99 us': Math.round(calm * 1000) };
  for (const [name, { requests, errors, p50, p99 }] of Object.entries(windows)) {
    say(
      `healthy client, ${name}: ${requests} requests, ${errors} errors, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`,
    );
    if (name === 'warm-up' || name.startsWith('quiet')) continue;
    const behind = quiets.findIndex(([one]) => one === `quiet before ${name}`) + 1;
    const around = [quiets[behind - 1]?.[1].p99 ?? 0, quiets[behind]?.[1].p99 ?? 0];
    const quiet = Math.max(calm, (Math.min(...around) + Math.max(...around)) / 2);
    figures[`p99 us, ${name}`] = Math.max(1, Math.round(p99 * 1000));
    if (p99 > 3 * quiet) slower.push(`the healthy client's p99 is ${(p99 / quiet).toFixed(1)}x during ${name}`);
    if (errors > 0) slower.push(`the healthy client is refused ${errors} times during ${name}`);
  }
  return { figures, slower };
}
