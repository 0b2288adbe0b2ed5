/**
 * Matches the changes of the feed with writes. An acknowledged write must be in the feed once, a definite failure never, a
 * write with an unknown outcome at most once, and a bulk as a whole. Creates and updates are found by their unique names,
 * deletions by the record.
 */

import { type Draft, describe, type Operation } from '../clients/operation.ts';
import { type Change, describeChange } from './change.ts';
import { judgeDeletions } from './deletions.ts';
import type { Effects, Placement } from './placement.ts';

/** The names of the records that every new database starts with. */
const firstRecords = ['Widget', 'Ada Lovelace'];

export function judgeEffects(operations: readonly Operation[], changes: readonly Change[]): Effects {
  const effects: Effects = { placements: new Map(), complaints: [] };
  const positions = new Map<string, number[]>();
  for (const [index, { name, type }] of changes.entries()) {
    if (type !== 'deleted') positions.set(name, [...(positions.get(name) ?? []), index + 1]);
  }
  const claimed = new Set(firstRecords);
  const feed = { changes, positions, previous: previousOf(changes) };
  for (const attempts of attemptsByName(operations).values()) {
    for (const name of namesOf(attempts[0])) claimed.add(name);
    judgeAttempts(attempts, feed, effects);
  }
  for (const [index, change] of changes.entries()) {
    if (change.type !== 'deleted' && !claimed.has(change.name))
      effects.complaints.push(`phantom: ${describeChange(change)} at position ${index + 1} was never requested`);
  }
  judgeDeletions(operations, changes, effects);
  return effects;
}

type Feed = {
  readonly changes: readonly Change[];
  /** The positions of the changes that set a name. */
  readonly positions: ReadonlyMap<string, readonly number[]>;
  /** The previous change of the same record. */
  readonly previous: ReadonlyMap<Change, Change>;
};

function previousOf(changes: readonly Change[]): Map<Change, Change> {
  const latest = new Map<string, Change>();
  const previous = new Map<Change, Change>();
  for (const change of changes) {
    const record = `${change.collection} ${change.id}`;
    const before = latest.get(record);
    if (before !== undefined) previous.set(change, before);
    latest.set(record, change);
  }
  return previous;
}

/** Requests with the same Idempotency-Key have the same names, and are one write. */
function attemptsByName(operations: readonly Operation[]): Map<string, Operation[]> {
  const groups = new Map<string, Operation[]>();
  for (const operation of operations) {
    const [name] = namesOf(operation);
    if (name === undefined) continue;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [operation]);
    else group.push(operation);
  }
  return groups;
}

function namesOf(operation: Operation | undefined): string[] {
  const request = operation?.request;
  if (request?.kind === 'create') return request.drafts.map(({ name }) => name);
  return request?.kind === 'update' ? [request.name] : [];
}

function judgeAttempts(
  attempts: readonly Operation[],
  { changes, positions, previous }: Feed,
  { placements, complaints }: Effects,
): void {
  const all = () => attempts.map(describe).join(' and ');
  const names = namesOf(attempts[0]);
  const found = names.flatMap((name) => positions.get(name)?.[0] ?? []);
  const acknowledged = attempts.filter(({ outcome }) => outcome.kind === 'ok');
  const unknown = attempts.filter(({ outcome }) => outcome.kind === 'unknown');

  for (const name of names) {
    const [once, ...again] = positions.get(name) ?? [];
    if (again.length > 0) complaints.push(`doubled: ${all()} is at the positions ${[once, ...again].join(', ')}`);
  }
  const [first] = found;
  const last = found.at(-1);
  if (first === undefined || last === undefined) {
    if (acknowledged.length > 0) complaints.push(`lost: ${all()} was acknowledged and is not in the feed`);
    return;
  }
  if (found.length < names.length || last - first !== names.length - 1) {
    complaints.push(`torn batch: of ${all()} the feed has the positions ${found.join(', ')}`);
    return;
  }
  const made = changes.slice(first - 1, last);
  if (acknowledged.length === 0 && unknown.length === 0) {
    complaints.push(`phantom after a definite failure: ${all()} took effect as ${made.map(describeChange).join(', ')}`);
    return;
  }
  for (const [index, change] of made.entries()) {
    const wrong = mismatch(attempts[0], index, change, previous.get(change));
    if (wrong !== undefined) complaints.push(`altered: ${all()} ${wrong}`);
  }
  place(acknowledged, unknown, { kind: 'made', first, last }, placements, complaints);
  for (const operation of acknowledged) {
    const { outcome } = operation;
    if (outcome.kind === 'ok' && !showsThese(outcome.shown, made))
      complaints.push(`wrong answer: ${describe(operation)} does not show ${made.map(describeChange).join(', ')}`);
  }
}

/** The change belongs to the attempt that was acknowledged as new, or else to one with an unknown outcome. */
function place(
  acknowledged: readonly Operation[],
  unknown: readonly Operation[],
  made: Placement & { kind: 'made' },
  placements: Map<Operation, Placement>,
  complaints: string[],
): void {
  const asNew: Operation[] = [];
  for (const operation of acknowledged) {
    if (operation.outcome.kind === 'ok' && operation.outcome.replayed)
      placements.set(operation, { kind: 'replay', position: made.last });
    else asNew.push(operation);
  }
  const [one, other] = asNew;
  if (other !== undefined) complaints.push(`doubled: ${asNew.map(describe).join(' and ')} were both answered as new`);
  if (one !== undefined) {
    placements.set(one, made);
    return;
  }
  const [earliest] = unknown.toSorted((left, right) => left.invoked - right.invoked);
  if (earliest !== undefined) placements.set(earliest, made);
  else
    complaints.push(
      `phantom after a definite failure: ${acknowledged.map(describe).join(' and ')} replays a write that every attempt reported as failed`,
    );
}

/** How a change differs from its request. */
function mismatch(
  operation: Operation | undefined,
  index: number,
  change: Change,
  before: Change | undefined,
): string | undefined {
  const request = operation?.request;
  if (request?.kind === 'create') {
    const draft: Draft = request.drafts[index] ?? { name: '' };
    if (change.type !== 'created' || change.collection !== request.collection)
      return `became ${describeChange(change)}`;
    if (change.name !== draft.name) return `has its lines in another order: ${describeChange(change)}`;
    if (change.price !== draft.price) return `became a record with the price ${change.price}`;
    if (change.external !== (draft.external ?? change.id)) return `became a record with the id ${change.external}`;
  }
  if (request?.kind === 'update') {
    if (change.type !== 'updated' || change.collection !== request.collection || change.id !== request.id)
      return `became ${describeChange(change)}`;
    if (request.ifMatch !== undefined && change.version !== request.ifMatch + 1)
      return `required version ${request.ifMatch} and made version ${change.version}`;
    if (request.price !== undefined && change.price !== request.price) return `set the price ${change.price}`;
    if (request.external !== undefined && change.external !== request.external) return `set the id ${change.external}`;
    if (request.price === undefined && before !== undefined && before.price !== change.price)
      return `left the price out, and it went from ${before.price} to ${change.price}`;
    if (request.external === undefined && before !== undefined && before.external !== change.external)
      return `left the id out, and it went from ${before.external} to ${change.external}`;
  }
  return undefined;
}

/** A bulk shows the ids of its first and its last record; one record is shown in the form of its API. */
function showsThese(shown: readonly string[], made: readonly Change[]): boolean {
  const [text] = shown;
  const [first] = made;
  return (
    text === first?.record || text === first?.plain || text === `${made.length} from ${first?.id} to ${made.at(-1)?.id}`
  );
}
