/** What one answer has shown of the accounts. It must be what the feed shows at the end of one transaction. */
import type { AccountBody } from './accounts.ts';
import { centsOf } from './accounts.ts';
import type { Timeline } from './timeline.ts';

export type Sight = {
  readonly door: string;
  /** The last change that an earlier answer has named: the sight has it. */
  readonly after: number;
  /** The id, version and cents of each account. */
  readonly accounts: Int32Array;
  /** The ids of moves: the sight has all of their transactions. */
  readonly moves: readonly number[];
};

export function sightOf(
  door: string,
  after: number,
  accounts: readonly AccountBody[],
  moves: readonly number[] = [],
): Sight {
  const flat = accounts.flatMap(({ id, version, balance }) => [id, version, centsOf(balance)]);
  return { door, after, accounts: Int32Array.from(flat), moves };
}

/** Returns the first complaint. */
export function judgeSight({ door, after, accounts, moves }: Sight, timeline: Timeline): string | undefined {
  // The sight is of a moment from `from` on, and before `to`.
  let [from, to] = [0, Number.POSITIVE_INFINITY];
  for (let at = 0; at < accounts.length; at += 3) {
    const [id = 0, version = 0, cents] = accounts.subarray(at, at + 3);
    const state = timeline.stateOf(id, version);
    if (state === undefined || state.cents !== cents)
      return `phantom: ${door} shows account ${id} with version ${version} and ${cents} cents, the feed ${state?.cents}`;
    from = Math.max(from, state.change);
    to = Math.min(to, timeline.stateOf(id, version + 1)?.change ?? to);
  }
  for (const move of moves) {
    const change = timeline.moves.get(move);
    if (change === undefined) return `phantom: ${door} shows move ${move}, which the feed does not have`;
    from = Math.max(from, change);
  }
  const end = timeline.endOf(from);
  if (end >= to) return `torn: ${door} shows change ${from} of a transaction to ${end}, and not change ${to}`;
  if (after >= to) return `stale: ${door} does not show change ${to}, and ${after} was answered before`;
  return undefined;
}
