/** One run on one engine: clients and faults, then a last read through every API, and the checks. */

import { Random } from '../../test/support/data/random.ts';
import { type Change, type ChangeBody, changeOf } from './check/change.ts';
import { judge } from './check/judge.ts';
import { Client } from './clients/client.ts';
import { flood } from './clients/flood.ts';
import { lastLook } from './clients/last-look.ts';
import { pull } from './clients/reads.ts';
import { Recorder } from './clients/recorder.ts';
import { Shop } from './clients/shop.ts';
import { runReads, runSteps } from './clients/steps.ts';
import { follow, pulling, type Watcher } from './clients/watchers.ts';
import { keep } from './keep.ts';
import { inflictAll } from './servers/inflict.ts';
import type { Setup } from './servers/setup.ts';

export type Plan = {
  readonly engine: string;
  readonly seed: number;
  /** Undefined for the short run, and if `rounds` is given. */
  readonly minutes?: number | undefined;
  /** How many faults there are, in a run that does not last for a given time. */
  readonly rounds?: number;
  /** False if no collection is made large: one is small again after thousands of requests. */
  readonly floods?: boolean;
  /** Given if the faults look at the operations, too. */
  readonly recorder?: Recorder;
  /** Where a history with violations is saved; the system's folder for temporary files if absent. */
  readonly keepIn?: string;
  say(progress: string): void;
};

export type Verdict = { readonly figures: Readonly<Record<string, number>>; readonly complaints: readonly string[] };

const clients = { short: 4, long: 24 };
/** The short run has one. */
const floodsOf = {
  short: { records: 200, firstMs: 1500, pauseMs: 120_000 },
  long: { records: 1200, firstMs: 20_000, pauseMs: 40_000 },
};
const catchUpMs = 60_000;
const progressMs = 60_000;

export async function runHistory(setup: Setup, plan: Plan): Promise<Verdict> {
  const { engine, seed, minutes, rounds, recorder = new Recorder(), floods = true, keepIn, say } = plan;
  const isShort = minutes === undefined && rounds === undefined;
  const random = new Random(seed);
  const shop = new Shop(recorder, setup.ports);
  const newClient = (name: string) => new Client(name, shop, random.below(2 ** 32));
  const watchers = [
    follow('follower 1', shop, newClient('chaser 1')),
    follow('follower 2', shop, newClient('chaser 2'), 'items'),
    pulling(newClient('puller')),
  ];
  const last = newClient('last');
  try {
    const working = Array.from({ length: isShort ? clients.short : clients.long }, (_, number) =>
      runSteps(newClient(`client ${number + 1}`)),
    );
    if (floods) working.push(flood(newClient('flooder'), isShort ? floodsOf.short : floodsOf.long));
    for (let number = 1; number <= (setup.readers ?? 0); number++)
      working.push(runReads(newClient(`reader ${number}`)));
    let reported = performance.now();
    const inflicted = await inflictAll(setup.faults, random, plan, (soFar) => {
      if (performance.now() - reported < progressMs) return;
      reported = performance.now();
      say(`${engine}: ${recorder.operations.length} operations, ${sum(soFar)} faults`);
    });
    shop.stopped = true;
    await Promise.all(working);
    await lastLook(last, setup.ports);
    const changes = await wholeFeed(last);
    await caughtUp(watchers, changes);

    const history = { operations: recorder.operations, changes, deliveries: watchers.map(({ delivery }) => delivery) };
    const complaints = [...recorder.unexpected, ...idle(recorder, setup), ...(await setup.verify()), ...judge(history)];
    say(`${engine}: ${recorder.operations.length} operations, ${sum(inflicted)} faults, ${summary(complaints)}`);
    if (complaints.length > 0)
      say(`${engine}: the recorded history is in ${await keep(history, engine, seed, keepIn)}`);
    const figures = {
      operations: recorder.operations.length,
      changes: changes.length,
      threads: recorder.threads.count,
      faults: sum(inflicted),
      ...prefixed('fault ', inflicted),
      ...prefixed('answered ', recorder.outcomes),
    };
    return { figures, complaints };
  } finally {
    shop.stopped = true;
    for (const watcher of watchers) watcher.stop();
    last.close();
  }
}

function idle({ threads }: Recorder, { isThreaded = false }: Setup): string[] {
  return isThreaded && !threads.together ? ['threads: only one of several serving threads has answered'] : [];
}

const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((all, one) => all + one, 0);

/** The number of violations of each kind; a complaint begins with its kind. */
function summary(complaints: readonly string[]): string {
  const kinds = Map.groupBy(complaints, (complaint) => complaint.split(':')[0] ?? '');
  const counts = [...kinds].map(([kind, all]) => `${all.length} ${kind}`);
  return `${complaints.length} violations${counts.length === 0 ? '' : ` (${counts.join(', ')})`}`;
}

function prefixed(prefix: string, counts: ReadonlyMap<string, number>): Record<string, number> {
  const sorted = [...counts].sort(([left], [right]) => left.localeCompare(right));
  return Object.fromEntries(sorted.map(([name, count]) => [`${prefix}${name}`, count]));
}

/** A server that was just started may refuse a read. */
async function wholeFeed(client: Client): Promise<Change[]> {
  const changes: Change[] = [];
  const deadline = performance.now() + catchUpMs;
  while (performance.now() < deadline) {
    const after = changes.at(-1)?.changeNumber ?? 0;
    const found: { readonly data: readonly ChangeBody[] } | undefined = await pull(client, after, 1000);
    if (found === undefined) await Bun.sleep(100);
    else if (found.data.length === 0) return changes;
    else for (const body of found.data) changes.push(changeOf(body));
  }
  throw new Error('the feed cannot be read to the end');
}

/** Waits for every follower; `judge` reports one that does not catch up in time. */
async function caughtUp(watchers: readonly Watcher[], changes: readonly Change[]): Promise<void> {
  const lastOf = ({ delivery: { collection } }: Watcher) =>
    changes.findLast((change) => collection === undefined || change.collection === collection)?.changeNumber ?? 0;
  const deadline = performance.now() + catchUpMs;
  while (watchers.some((watcher) => watcher.last() < lastOf(watcher)) && performance.now() < deadline)
    await Bun.sleep(20);
}
