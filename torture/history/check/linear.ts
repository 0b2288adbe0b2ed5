/**
 * Linearizability of one record, independent of the feed: the search of Wing and Gong, with Lowe's cache of the
 * configurations that were already tried.
 */
import type { Operation } from '../clients/operation.ts';

/** One operation on a record, as a step from one of its states to another. */
export type Step = {
  readonly operation: Operation;
  /** The state after it, or undefined if its answer is not possible. */
  apply(state: string): string | undefined;
};

type Entry = {
  readonly step: Step;
  readonly bit: bigint;
  readonly kind: 'call' | 'return';
  /** The return of a call. A step with an unknown outcome has none: it can be taken at any later time, or never. */
  match: Entry | undefined;
  before: Entry | undefined;
  after: Entry | undefined;
};

/**
 * Many writes with an unknown outcome on one record have more orders than can be tried. Such a record counts as explained here;
 * `judgeOrder` checks its answers against the feed as well.
 */
const maxConfigurations = 50_000;

/** Undefined if some order explains every answer; else the operation that no order explains. */
export function unexplained(steps: readonly Step[], initial: string): Operation | undefined {
  const head = linked(steps);
  const tried = new Set<string>();
  const taken: { readonly entry: Entry; readonly state: string }[] = [];
  let state = initial;
  let done = 0n;
  let entry = head.after;
  let deepest = { depth: -1, operation: steps[0]?.operation };
  let left = steps.filter(({ operation }) => operation.outcome.kind !== 'unknown').length;

  while (left > 0) {
    if (entry?.kind === 'call') {
      const next = entry.step.apply(state);
      const configuration = `${(done | entry.bit).toString(32)} ${next}`;
      if (next === undefined || tried.has(configuration)) {
        entry = entry.after;
        continue;
      }
      tried.add(configuration);
      if (tried.size > maxConfigurations) return undefined;
      taken.push({ entry, state });
      state = next;
      done |= entry.bit;
      if (entry.match !== undefined) left--;
      lift(entry);
      entry = head.after;
      continue;
    }
    if (entry !== undefined && taken.length > deepest.depth)
      deepest = { depth: taken.length, operation: entry.step.operation };
    const last = taken.pop();
    if (last === undefined) return deepest.operation;
    state = last.state;
    done &= ~last.entry.bit;
    if (last.entry.match !== undefined) left++;
    unlift(last.entry);
    entry = last.entry.after;
  }
  return undefined;
}

/** Calls and returns in the order of time; at the same moment calls come first, which makes the operations concurrent. */
function linked(steps: readonly Step[]): Entry {
  const timed = steps.flatMap((step, index) => {
    const { operation } = step;
    const bit = 1n << BigInt(index);
    const call: Entry = { step, bit, kind: 'call', match: undefined, before: undefined, after: undefined };
    if (operation.outcome.kind === 'unknown') return [{ time: operation.invoked, entry: call }];
    call.match = { ...call, kind: 'return' };
    return [
      { time: operation.invoked, entry: call },
      { time: operation.answered, entry: call.match },
    ];
  });
  timed.sort(
    (left, right) =>
      left.time - right.time || Number(left.entry.kind === 'return') - Number(right.entry.kind === 'return'),
  );
  const [first] = steps;
  if (first === undefined) throw new Error('the history has no operations');
  const head: Entry = { step: first, bit: 0n, kind: 'call', match: undefined, before: undefined, after: undefined };
  let last = head;
  for (const { entry } of timed) {
    last.after = entry;
    entry.before = last;
    last = entry;
  }
  return head;
}

/** Unlinks a call and its return; they keep their neighbours, so that `unlift` can link them again. */
function lift(entry: Entry): void {
  unlink(entry);
  if (entry.match !== undefined) unlink(entry.match);
}

function unlift(entry: Entry): void {
  if (entry.match !== undefined) relink(entry.match);
  relink(entry);
}

function unlink({ before, after }: Entry): void {
  if (before !== undefined) before.after = after;
  if (after !== undefined) after.before = before;
}

function relink(entry: Entry): void {
  if (entry.before !== undefined) entry.before.after = entry;
  if (entry.after !== undefined) entry.after.before = entry;
}
