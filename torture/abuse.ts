/** Everything that a stranger on the network can do, to a server that others are using. */
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
import { comeAsUsual, comeFirst, comeLast } from './abuse/priority.ts';
import { megabytes } from './memory.ts';
import type { Torture } from './torture.ts';

/**
 * Each comes in waves with quiet between them, because what else the machine does changes from minute to minute: what the
 * healthy client saw in all waves is held against what it saw between them. A wave has all of its size, or its part.
 */
type Campaign = { readonly attack: Attack; readonly waves: number; readonly inParts?: true };
const campaigns: Readonly<Record<string, Campaign>> = {
  'slow heads': { attack: slowHeads, waves: 3 },
  'slow bodies': { attack: slowBodies, waves: 3 },
  'slow readers': { attack: slowReaders, waves: 3 },
  'idle connections': { attack: idle, waves: 6 },
  'large bodies': { attack: largeBodies, waves: 4, inParts: true },
  'malformed requests': { attack: malformed, waves: 4, inParts: true },
  'declared requests': { attack: declared, waves: 4, inParts: true },
  traversal: { attack: traversal, waves: 1 },
  injection: { attack: injection, waves: 1 },
};
/** Idle connections; the other attacks are in proportion. */
const sizes = { full: 10_000, short: 300 };
/** Of fewer requests the slowest hundredth says nothing. */
const enough = 100;

type Window = { readonly requests: number; readonly errors: number; readonly p50: number; readonly p99: number };

export const abuse: Torture = async (run) => {
  const { folder, full, say } = run;
  const complaints: string[] = [];
  // The short form allows for 50 MB that are not given back yet.
  const lookMs = full ? 500 : 200;
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
  try {
    // Once in little, so that what is measured is not how a server warms up.
    begin('warm-up');
    if (full) for (const { attack } of Object.values(campaigns)) complaints.push(...(await attack(shelf.url, 1000, 0)));
    if (full) {
      comeLast(process.pid);
      comeFirst(healthy.pid);
    }
    await settled(shelf, lookMs);
    const before = megabytes(shelf.pid);
    for (const [name, { attack, waves, inParts }] of Object.entries(campaigns)) {
      const size = full ? sizes.full : sizes.short;
      const times = full ? waves : 1;
      const seen: string[] = [];
      for (let wave = 1; wave <= times; wave++) {
        begin(`quiet, ${name}`);
        await Bun.sleep(full ? 3000 : 300);
        begin(name);
        seen.push(...(await attack(shelf.url, inParts ? size / times : size, wave)));
        // What is left to clear away is neither.
        begin('between');
        await Bun.sleep(full ? 500 : 0);
      }
      complaints.push(...seen.map((one) => `${name}: ${one}`));
      say(`${name}: ${seen.length} complaints`);
    }
    comeAsUsual(process.pid);
    await settled(shelf, lookMs);
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
    comeAsUsual(process.pid);
    healthy.kill();
    await shelf.stop('SIGKILL');
  }
};

/** Waits until the memory is not given back any more, at most a minute. */
async function settled({ pid }: Shelf, lookMs: number): Promise<void> {
  let lowest = megabytes(pid);
  for (let still = 0, looks = 0; still < 4 && looks * lookMs < 60_000; looks++) {
    await Bun.sleep(lookMs);
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
  const slower: string[] = [];
  const figures: Record<string, number> = {};
  for (const name of Object.keys(campaigns)) {
    const [attacked, quiet] = [windows[name], windows[`quiet, ${name}`]];
    if (attacked === undefined || quiet === undefined) continue;
    const times = attacked.p99 / quiet.p99;
    say(`healthy client, ${name}: ${told(attacked)}; quiet: ${told(quiet)}; p99 ${times.toFixed(1)}x`);
    if (attacked.errors + quiet.errors > 0) slower.push(`the healthy client is refused during ${name}`);
    if (attacked.requests < enough) continue;
    figures[`p99 us, ${name}`] = Math.max(1, Math.round(attacked.p99 * 1000));
    figures[`p99 us, ${name}, quiet`] = Math.max(1, Math.round(quiet.p99 * 1000));
    if (times > 3) slower.push(`the healthy client's p99 is ${times.toFixed(1)}x during ${name}`);
  }
  return { figures, slower };
}

function told({ requests, errors, p50, p99 }: Window): string {
  return `${requests} requests, ${errors} errors, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`;
}
