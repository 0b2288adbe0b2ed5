/** One run on one engine: clients move money and read it under faults, then the audit. */
import { Random } from '../../test/support/data/random.ts';
import { Client } from '../history/clients/client.ts';
import { Recorder } from '../history/clients/recorder.ts';
import { Shop } from '../history/clients/shop.ts';
import { inflictAll } from '../history/servers/inflict.ts';
import type { Setup } from '../history/servers/setup.ts';
import type { Judged } from '../support/torture.ts';
import { type AccountBody, accountCount, centsOf, type MoveBody, opening } from './accounts.ts';
import { audit } from './audit.ts';
import { Bank } from './bank.ts';
import { followChanges, pull, pullChanges } from './feed-readers.ts';
import { read, readAccounts } from './readers.ts';
import { moveMoney } from './teller.ts';
import { type BankChange, isAccount, isMove, type Timeline } from './timeline.ts';

export type BankPlan = {
  readonly seed: number;
  /** Undefined for a run with every fault once. */
  readonly minutes?: number | undefined;
  readonly rounds?: number;
  say(progress: string): void;
};

/** The few of a short run do not fill the machine. */
const clients = { full: { tellers: 32, readers: 8 }, short: { tellers: 12, readers: 4 } };
const progressMs = 60_000;
/** In milliseconds. The servers answer within this time when there are no faults any more. */
const recoverMs = 60_000;
const leastAnswered = 200;
const counted = ['answered', 'refused', 'repeated', 'lists', 'pages', 'exports', 'records', 'moves with accounts'];

export async function runBank(setup: Setup, { seed, minutes, rounds, say }: BankPlan): Promise<Judged> {
  const { tellers, readers } = minutes === undefined && rounds === undefined ? clients.short : clients.full;
  const random = new Random(seed);
  const bank = new Bank();
  const shop = new Shop(new Recorder(), setup.ports);
  const newClient = (name: string) => new Client(name, shop, random.below(2 ** 32));
  const last = newClient('auditor');
  const opened = await openAccounts(last, bank);
  const follower = followChanges(newClient('follower'), bank, opened);
  try {
    const working = [
      ...Array.from({ length: tellers }, (_, number) => moveMoney(newClient(`teller ${number}`), bank)),
      ...Array.from({ length: readers }, (_, number) => readAccounts(newClient(`reader ${number}`), bank)),
      pullChanges(newClient('puller'), bank, opened),
    ];
    let reported = performance.now();
    const duration = rounds === undefined ? { minutes } : { minutes, rounds };
    const inflicted = await inflictAll(setup.faults, random, duration, (soFar) => {
      if (performance.now() - reported < progressMs) return;
      reported = performance.now();
      say(`${text(bank.counts)}; faults: ${text(soFar)}`);
    });
    await seenEverything(bank);
    bank.stopped = true;
    await Promise.all(working);

    const changes = await wholeFeed(last, bank);
    const { complaints, timeline, stored } = audit(changes, bank.sent, bank.sights);
    const deadline = performance.now() + recoverMs;
    while (follower.last < timeline.last && performance.now() < deadline) await Bun.sleep(20);
    if (follower.last < timeline.last)
      bank.complain(`feed: a follower has change ${follower.last} of ${timeline.last}`);
    if (follower.complaint !== undefined) bank.complain(`feed: ${follower.complaint}`);
    await compare(last, bank, timeline, stored);
    if (setup.isThreaded && !bank.threads.together)
      bank.complain('threads: only one of several serving threads has answered');
    const all = [...bank.complaints, ...(await setup.verify()), ...complaints];
    say(`${text(bank.counts)}; faults: ${text(inflicted)}; ${all.length} violations`);
    return { figures: figuresOf(bank, changes.length, inflicted), complaints: all };
  } finally {
    bank.stopped = true;
    follower.stop();
    last.close();
  }
}

/** Opens the accounts in one transaction; returns its changes. */
async function openAccounts(client: Client, bank: Bank): Promise<BankChange[]> {
  const { reply } = await client.exchange({
    method: 'POST',
    path: '/api/v2/transactions',
    headers: { 'Content-Type': 'application/json' },
    body: opening,
  });
  if (reply?.status !== 200) throw new Error(`cannot open the accounts: ${reply?.status} ${reply?.body}`);
  const changes = await wholeFeed(client, bank);
  if (changes.length !== accountCount)
    throw new Error(`${changes.length} changes have opened ${accountCount} accounts`);
  return changes;
}

/** The changes of accounts and moves. */
async function wholeFeed(client: Client, bank: Bank): Promise<BankChange[]> {
  const changes: BankChange[] = [];
  for (let after = 0; ; ) {
    const page = await retried(() => pull(client, bank, after, 1000));
    for (const change of page.data) if (isAccount(change) || isMove(change)) changes.push(change);
    if (page.last === after) return changes;
    after = page.last;
  }
}

/** A server that was just started may refuse a read. */
async function retried<Found>(get: () => Promise<Found | undefined>): Promise<Found> {
  const deadline = performance.now() + recoverMs;
  while (performance.now() < deadline) {
    const found = await get();
    if (found !== undefined) return found;
    await Bun.sleep(100);
  }
  throw new Error('the servers do not answer after the last fault');
}

/** The accounts and moves are those that the feed has made. */
async function compare(client: Client, bank: Bank, timeline: Timeline, stored: ReadonlySet<number>): Promise<void> {
  const lines = async <Body>(collection: string): Promise<Body[]> => {
    const path = `/api/v2/${collection}/export`;
    const { body } = await retried(() => read(client, bank, path, 'application/x-ndjson'));
    return body.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  };
  for (const { id, version, balance } of await lines<AccountBody>('accounts')) {
    const known = timeline.stateOf(id, version);
    if (version !== timeline.versionOf(id) || known?.cents !== centsOf(balance))
      bank.complain(`altered: account ${id} has version ${version} and ${balance}, and not so in the feed`);
  }
  const numbers = (await lines<MoveBody>('moves')).map(({ number }) => number);
  if (numbers.length !== stored.size || !numbers.every((number) => stored.has(number)))
    bank.complain(`altered: there are ${numbers.length} moves, and ${stored.size} in the feed`);
}

/** Waits until a short run has had every kind of answer, too. A faulty server may never give one. */
async function seenEverything({ counts, complaints }: Bank): Promise<void> {
  const deadline = performance.now() + recoverMs;
  const isMissing = () =>
    complaints.length === 0 &&
    ((counts.get('answered') ?? 0) < leastAnswered || counted.some((name) => !counts.has(name)));
  while (isMissing() && performance.now() < deadline) await Bun.sleep(20);
}

function figuresOf({ counts, sights }: Bank, changes: number, faults: ReadonlyMap<string, number>) {
  const sum = [...faults.values()].reduce((all, one) => all + one, 0);
  return {
    ...Object.fromEntries(counted.map((name) => [name, counts.get(name) ?? 0])),
    'answers compared with the feed': sights.length,
    changes,
    faults: sum,
  };
}

function text(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ');
}
