/**
 * Checks that all answers belong to one order: there is a position for each operation at which its answer is true, and an
 * operation that was invoked after another was answered is not before it.
 *
 * Operations are taken in the order in which they were invoked, and each gets the lowest position at which its answer is
 * true and which is not below that of any operation answered before. This finds positions whenever there are some: by
 * induction each position is the lowest that the operation has in any valid assignment, because its bound comes from
 * operations that were placed before it, at their lowest. So an operation without a position here has none anywhere, and
 * the positions that are found satisfy every bound by construction. It does not matter whether the answer is true over one
 * range of the feed or over several. No answer has a position inside a bulk, which is visible as a whole or not at all.
 */

import { describe, isWrite, type Operation } from '../clients/operation.ts';
import { answerAt, positionOf, sameOutcome } from './answer.ts';
import type { Change } from './change.ts';
import { describeChange } from './change.ts';
import type { Placement } from './placement.ts';
import { States } from './state.ts';

type Floor = { readonly position: number; readonly operation: Operation | undefined };

/** An explanation is expensive: it reads the whole feed. */
const maxExplained = 20;

export function judgeOrder(
  operations: readonly Operation[],
  changes: readonly Change[],
  placements: ReadonlyMap<Operation, Placement>,
): string[] {
  const complaints: string[] = [];
  const states = new States(changes);
  const byInvocation = operations.filter((operation) => isOrdered(operation, placements)).sort(byTime('invoked'));
  const byAnswer = byInvocation.filter(({ outcome }) => outcome.kind !== 'unknown').sort(byTime('answered'));
  const ceilingAt = ceilings(byInvocation, changes.length, placements);
  const inside = insideBulks(placements);
  const positions = new Map<Operation, number>();
  let floor: Floor = { position: 0, operation: undefined };
  let answered = 0;

  for (const operation of byInvocation) {
    for (let next = byAnswer[answered]; next !== undefined && next.answered < operation.invoked; ) {
      const position = positions.get(next) ?? 0;
      if (position > floor.position) floor = { position, operation: next };
      next = byAnswer[++answered];
    }
    states.dropBelow(floor.position);
    const ceiling = operation.outcome.kind === 'unknown' ? changes.length : ceilingAt(operation.answered);
    const position = lowest(operation, placements.get(operation), { floor: floor.position, ceiling, inside }, states);
    if (position !== undefined) positions.set(operation, position);
    else if (complaints.length < maxExplained) {
      complaints.push(explain(operation, placements.get(operation), floor, { ceiling, inside }, changes));
    } else complaints.push(`order: ${describe(operation)} has no position`);
  }
  return complaints;
}

const byTime = (key: 'invoked' | 'answered') => (left: Operation, right: Operation) => left[key] - right[key];

function isOrdered(operation: Operation, placements: ReadonlyMap<Operation, Placement>): boolean {
  const { outcome, request } = operation;
  if (placements.has(operation)) return true;
  // An acknowledged write without a placement is reported already.
  if (outcome.kind === 'ok') return !isWrite(request);
  return outcome.kind === 'missing' || outcome.kind === 'conflict';
}

/** The highest position that an answer may show: no change of a write that was invoked after it. */
function ceilings(
  byInvocation: readonly Operation[],
  end: number,
  placements: ReadonlyMap<Operation, Placement>,
): (answered: number) => number {
  const times: number[] = [];
  const bounds: number[] = [];
  let bound = end;
  for (const operation of byInvocation.toReversed()) {
    const placement = placements.get(operation);
    if (placement?.kind !== 'made') continue;
    bound = Math.min(bound, placement.first - 1);
    times.push(operation.invoked);
    bounds.push(bound);
  }
  // Sorted from the latest invocation to the earliest: the bound is that of the earliest one after the answer.
  return (answered) => {
    let low = 0;
    let high = times.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((times[middle] ?? 0) > answered) low = middle + 1;
      else high = middle;
    }
    return bounds[low - 1] ?? end;
  };
}

type Bounds = { readonly floor: number; readonly ceiling: number; readonly inside: ReadonlySet<number> };

/** Positions between two changes of one bulk. */
function insideBulks(placements: ReadonlyMap<Operation, Placement>): Set<number> {
  const inside = new Set<number>();
  for (const placement of placements.values()) {
    if (placement.kind !== 'made') continue;
    for (let position = placement.first; position < placement.last; position++) inside.add(position);
  }
  return inside;
}

function lowest(
  operation: Operation,
  placement: Placement | undefined,
  { floor, ceiling, inside }: Bounds,
  states: States,
): number | undefined {
  if (placement?.kind === 'made') return placement.first > floor ? placement.last : undefined;
  if (placement?.kind === 'replay') return Math.max(placement.position, floor);
  if (placement?.kind === 'made one of') return placement.positions.find((position) => position > floor);
  const { request, outcome } = operation;
  let start = floor;
  if (request.kind === 'event') return Math.max(positionOf(states.changes, request.changeNumber), floor);
  if (request.kind === 'feed' && outcome.kind === 'ok') {
    const last = Number(outcome.shown.at(-1)?.slice('last '.length));
    start = Math.max(floor, positionOf(states.changes, last));
  }
  let unchanged: unknown;
  for (let position = start; position <= ceiling; position++) {
    if (inside.has(position)) continue;
    const state = states.at(position);
    if (request.kind !== 'feed') {
      if (state[request.collection] === unchanged) continue;
      unchanged = state[request.collection];
    }
    if (sameOutcome(answerAt(request, state, states.changes), outcome)) return position;
  }
  return undefined;
}

function explain(
  operation: Operation,
  placement: Placement | undefined,
  floor: Floor,
  { ceiling, inside }: Omit<Bounds, 'floor'>,
  changes: readonly Change[],
): string {
  const bound =
    floor.operation === undefined
      ? 'nothing was shown yet'
      : `position ${floor.position} was already shown by ${describe(floor.operation)}`;
  if (placement?.kind === 'made' || placement?.kind === 'made one of') {
    const where = placement.kind === 'made' ? placement.first : placement.positions.join(', ');
    return `order: ${describe(operation)} took effect at position ${where}, but ${bound}`;
  }
  const states = new States(changes);
  const { request, outcome } = operation;
  const ranges: { from: number; to: number }[] = [];
  let before = -1;
  for (let position = 0; position <= changes.length; position++) {
    states.dropBelow(position);
    if (inside.has(position)) continue;
    if (sameOutcome(answerAt(request, states.at(position), changes), outcome)) {
      const open = ranges.at(-1);
      if (open?.to === before) open.to = position;
      else ranges.push({ from: position, to: position });
    }
    before = position;
  }
  if (ranges.length === 0)
    return `torn or reordered: ${describe(operation)} is true at no position, ${differs(operation, floor.position, changes)}`;
  const where = ranges.map(({ from, to }) => `${from} to ${to}`).join(', ');
  const [nearest] = ranges.filter(({ to }) => to < floor.position).slice(-1);
  const ended = nearest === undefined ? undefined : changes[nearest.to];
  return (
    `stale or early: ${describe(operation)} is true at the positions ${where} only, but must be between ` +
    `${floor.position} and ${ceiling}: ${bound}${ended === undefined ? '' : `; ${describeChange(ended)} made it stale`}`
  );
}

/** How an answer differs from the state at the position that was shown before it. */
function differs({ request, outcome }: Operation, position: number, changes: readonly Change[]): string {
  const states = new States(changes);
  for (let below = 0; below < position; below++) states.dropBelow(below);
  const expected = answerAt(request, states.at(position), changes);
  if (outcome.kind !== 'ok' || expected?.kind !== 'ok') return `where ${expected?.kind} is true at ${position}`;
  const added = outcome.shown.filter((text) => !expected.shown.includes(text));
  const lacking = expected.shown.filter((text) => !outcome.shown.includes(text));
  const some = (texts: readonly string[]) => texts.slice(0, 3).join(' ') || 'nothing';
  return `compared with position ${position} it shows ${some(added)} instead of ${some(lacking)}`;
}
