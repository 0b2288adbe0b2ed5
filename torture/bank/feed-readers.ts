/** Clients that follow the feed: whenever a transaction is complete, the balances have the same sum. */
import type { Client } from '../history/clients/client.ts';
import { Follower } from '../support/follower.ts';
import type { Bank } from './bank.ts';
import { read } from './readers.ts';
import { type BankChange, Timeline } from './timeline.ts';

type Page = { readonly data: readonly BankChange[]; readonly last: number };

/** Applies changes in order. */
export class FeedReplay {
  readonly timeline = new Timeline();

  constructor(
    readonly name: string,
    readonly bank: Bank,
  ) {}

  take(change: BankChange): void {
    const { timeline, bank, name } = this;
    const wrong = timeline.add(change) ?? (this.isWhole ? timeline.wrongSum : undefined);
    if (this.isWhole) bank.count('transactions in feeds');
    if (wrong !== undefined) bank.complain(`${wrong}, in the ${name}`);
  }

  /** Whether the last change ends its transaction. */
  get isWhole(): boolean {
    const { last } = this.timeline;
    return this.timeline.endOf(last) === last;
  }
}

/** The changes after this one; undefined if the servers do not answer. */
export async function pull(client: Client, bank: Bank, after: number, limit: number): Promise<Page | undefined> {
  const reply = await read(client, bank, `/api/v2/changes?after=${after}&limit=${limit}`);
  return reply && (JSON.parse(reply.body) as Page);
}

/** `opening` are the changes that open the accounts. */
export async function pullChanges(client: Client, bank: Bank, opening: readonly BankChange[]): Promise<void> {
  const { random } = client;
  const replay = new FeedReplay('pulled feed', bank);
  for (const change of opening) replay.take(change);
  while (!bank.stopped) {
    // A transaction of a move has three changes.
    const limit = 3 + random.below(20);
    const page = await pull(client, bank, replay.timeline.last, limit);
    for (const change of page?.data ?? []) replay.take(change);
    if (!replay.isWhole) bank.complain(`torn: a page of the feed ends with change ${replay.timeline.last}`);
    await Bun.sleep(random.between(0, page?.data.length ? 10 : 100));
  }
  client.close();
}

/** Follows the live feed; returns how to stop. */
export function followChanges(client: Client, bank: Bank, opening: readonly BankChange[]): Follower {
  const replay = new FeedReplay('live feed', bank);
  for (const change of opening) replay.take(change);
  const url = () => `http://127.0.0.1:${client.random.pick(client.shop.ports())}`;
  const follower = new Follower(replay.timeline.last, url, (events) => {
    for (const event of events) replay.take(JSON.parse(event) as BankChange);
  });
  follower.connect();
  return follower;
}
