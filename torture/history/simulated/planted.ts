/** Errors to plant into a correct history, each at a place where overlaps and lost answers cannot explain it. */
import { answerAt, sameOutcome } from '../check/answer.ts';
import type { Change } from '../check/change.ts';
import type { History } from '../check/judge.ts';
import { States } from '../check/state.ts';
import type { Operation, Outcome } from '../clients/operation.ts';
import type { Simulation } from './simulation.ts';

/** The complaint must contain `names`. */
export type Planted = { readonly history: History; readonly names: string };
/** Undefined if the history has no suitable place. */
export type Plant = (history: Simulation) => Planted | undefined;

const replaced = <Value>(all: readonly Value[], old: Value, next: Value) =>
  all.map((one) => (one === old ? next : one));

function withOutcome(history: Simulation, operation: Operation, outcome: Outcome): Planted {
  const operations = replaced(history.operations, operation, { ...operation, outcome });
  return { history: { ...history, operations }, names: `#${operation.number} ` };
}

/** Removes a change from the feed and from every delivery. */
function withoutChange(history: Simulation, change: Change): History {
  return {
    ...history,
    changes: history.changes.filter((one) => one !== change),
    deliveries: history.deliveries.map((delivery) => ({
      ...delivery,
      received: delivery.received.filter((digest) => digest !== change.digest),
    })),
  };
}

const shown = ({ outcome }: Operation) => (outcome.kind === 'ok' ? outcome.shown : []);
const isOk = ({ outcome }: Operation) => outcome.kind === 'ok' && !outcome.replayed;
const creates = ({ operations }: History, from: number, to: number) =>
  operations.flatMap((operation) => {
    const { request } = operation;
    if (request.kind !== 'create' || request.drafts.length < from || request.drafts.length > to) return [];
    const same = operations.filter(
      (other) => other.request.kind === 'create' && other.request.drafts[0]?.name === request.drafts[0]?.name,
    );
    return isOk(operation) && same.length === 1 ? [{ operation, drafts: request.drafts }] : [];
  });
const changeNamed = ({ changes }: History, name: string | undefined) => changes.find((change) => change.name === name);

export const lost: Plant = (history) => {
  const [made] = creates(history, 1, 1).slice(-1);
  const change = changeNamed(history, made?.drafts[0]?.name);
  if (made === undefined || change === undefined) return undefined;
  return { history: withoutChange(history, change), names: `#${made.operation.number} ` };
};

export const doubled: Plant = (history) => {
  const [made] = creates(history, 1, 1);
  const change = changeNamed(history, made?.drafts[0]?.name);
  const last = history.changes.at(-1);
  if (made === undefined || change === undefined || last === undefined) return undefined;
  const again = { ...change, seq: last.changeNumber + 1, id: 1_000_000, digest: 'again' };
  return { history: { ...history, changes: [...history.changes, again] }, names: `#${made.operation.number} ` };
};

export const reorderedList: Plant = (history) => {
  const list = history.operations.find((operation) => operation.request.kind === 'list' && shown(operation).length > 1);
  if (list === undefined) return undefined;
  const [first = '', second = '', ...rest] = shown(list);
  return withOutcome(history, list, { kind: 'ok', shown: [second, first, ...rest] });
};

/** A read that does not show the acknowledged change before it. */
export const staleByOne: Plant = (history) => {
  const { operations, positions, changes } = history;
  const states = new States(changes);
  for (const operation of operations) {
    const position = positions.get(operation) ?? 0;
    // Names are unique, so the state before an update never returns.
    if (changes[position - 1]?.type !== 'updated') continue;
    if (!isOk(operation) || !['list', 'record'].includes(operation.request.kind)) continue;
    const known = operations.some(
      (other) =>
        other.request.kind === 'update' &&
        other.answered < operation.invoked &&
        isOk(other) &&
        positions.get(other) === position,
    );
    const before = answerAt(operation.request, states.at(position - 1), changes);
    if (known && before?.kind === 'ok' && !sameOutcome(before, operation.outcome))
      return withOutcome(history, operation, before);
  }
  return undefined;
};

export const tornList: Plant = (history) => {
  for (const { drafts } of creates(history, 2, 9)) {
    const change = changeNamed(history, drafts[1]?.name);
    const neighbour = changeNamed(history, drafts[0]?.name);
    // A list without a record that is deleted later may be correct.
    const deleted = history.changes.some(
      ({ type, id, collection }) => type === 'deleted' && id === change?.id && collection === change.collection,
    );
    if (deleted) continue;
    const list = history.operations.find(
      (operation) =>
        operation.request.kind === 'list' &&
        shown(operation).includes(change?.plain ?? '') &&
        shown(operation).includes(neighbour?.plain ?? ''),
    );
    if (list === undefined) continue;
    return withOutcome(history, list, { kind: 'ok', shown: shown(list).filter((text) => text !== change?.plain) });
  }
  return undefined;
};

export const tornFeed: Plant = (history) => {
  const [made] = creates(history, 2, 9);
  const change = changeNamed(history, made?.drafts.at(-1)?.name);
  if (made === undefined || change === undefined) return undefined;
  return { history: withoutChange(history, change), names: `#${made.operation.number} ` };
};

export const phantom =
  (kind: 'create' | 'update' | 'delete' | 'remove'): Plant =>
  (history) => {
    const once = creates(history, 1, 9).map(({ operation }) => operation);
    const others = history.operations.filter(({ request, outcome }) => request.kind === kind && outcome.kind === 'ok');
    const operation = (kind === 'create' ? once : others).find(
      (one) =>
        !history.operations.some(
          (other) => other.outcome.kind === 'unknown' && sameTarget(one, other, history.changes),
        ),
    );
    return operation && withOutcome(history, operation, { kind: 'failed', why: 'storage_unavailable' });
  };

/**
 * Another operation may have made the change if its outcome is unknown: on the same record, or on another one with the same id
 * of the contract, because a removal by that id may then have taken either.
 */
function sameTarget({ request }: Operation, { request: other }: Operation, changes: readonly Change[]): boolean {
  const externals = (target: Operation['request']) =>
    changes
      .filter(
        (change) =>
          (target.kind === 'delete' && change.collection === target.collection && change.id === target.id) ||
          (target.kind === 'remove' && change.collection === target.collection && change.external === target.external),
      )
      .map(({ collection, external }) => `${collection} ${external}`);
  const deleted = new Set(externals(request));
  return externals(other).some((external) => deleted.has(external));
}

export const gapInPull: Plant = (history) => {
  const pull = history.operations.find((operation) => operation.request.kind === 'feed' && shown(operation).length > 3);
  return pull && withOutcome(history, pull, { kind: 'ok', shown: shown(pull).toSpliced(1, 1) });
};

export const gapInFeed: Plant = (history) => {
  const update = history.changes.find(
    ({ type, id, collection }, index) =>
      type === 'updated' &&
      history.changes.slice(index + 1).some((other) => other.id === id && other.collection === collection),
  );
  return update && { history: withoutChange(history, update), names: 'a change is missing' };
};

export const delivered =
  (change: (received: readonly string[]) => string[], names: string): Plant =>
  (history) => {
    const [first, ...rest] = history.deliveries;
    if (first === undefined || first.received.length < 5) return undefined;
    const deliveries = [{ ...first, received: change(first.received) }, ...rest];
    return { history: { ...history, deliveries }, names };
  };

/** The feed has delivered a record, and the contract answers 404 for it afterwards. */
export const doorsDisagree: Plant = (history) => {
  const { operations, changes } = history;
  const now = Math.max(...operations.map(({ answered }) => answered));
  const live = new States(changes).at(changes.length).items.at(-1);
  if (live === undefined) return undefined;
  const { changeNumber, external } = live;
  const event: Operation = {
    number: operations.length,
    client: 'follower 1',
    door: 'GET /api/v2/events',
    invoked: now + 1,
    answered: now + 1,
    request: { kind: 'event', changeNumber },
    outcome: { kind: 'ok', shown: [] },
  };
  const fetched: Operation = {
    ...event,
    number: operations.length + 1,
    client: 'c1',
    door: 'GET /api/items',
    invoked: now + 2,
    answered: now + 3,
    request: { kind: 'first', collection: 'items', external },
    outcome: { kind: 'missing' },
  };
  return { history: { ...history, operations: [...operations, event, fetched] }, names: `#${fetched.number} ` };
};

export const keyedTwice: Plant = (history) => {
  const replay = history.operations.find(({ outcome }) => outcome.kind === 'ok' && outcome.replayed);
  return replay && withOutcome(history, replay, { kind: 'ok', shown: ['another'] });
};

/** A replay, although every other attempt was refused. */
export const replayOfRefused: Plant = (history) => {
  for (const replay of history.operations) {
    if (replay.outcome.kind !== 'ok' || !replay.outcome.replayed || replay.request.kind !== 'create') continue;
    const [draft] = replay.request.drafts;
    const isAttempt = ({ request }: Operation) => request.kind === 'create' && request.drafts[0]?.name === draft?.name;
    const refused: Outcome = { kind: 'failed', why: 'storage_unavailable' };
    const operations = history.operations.map((one) =>
      one !== replay && isAttempt(one) ? { ...one, outcome: refused } : one,
    );
    return { history: { ...history, operations }, names: `#${replay.number} ` };
  }
  return undefined;
};

/** An answer shows a record before its create was sent. */
export const fromTheFuture: Plant = (history) => {
  const first = Math.min(...history.operations.map(({ invoked }) => invoked));
  const list = history.operations.findLast(
    (operation) => operation.request.kind === 'list' && shown(operation).length > 0,
  );
  if (list === undefined) return undefined;
  const early = { ...list, invoked: first - 2, answered: first - 1 };
  const operations = replaced(history.operations, list, early);
  return { history: { ...history, operations }, names: `#${list.number} ` };
};
