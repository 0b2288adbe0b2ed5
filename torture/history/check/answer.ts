/** The answer of a correct server at one position of the feed. A recorded answer is true there if it is equal. */

import type { Outcome, Request } from '../clients/operation.ts';
import type { Change } from './change.ts';
import { firstIn, recordIn, type State } from './state.ts';

const missing: Outcome = { kind: 'missing' };
const conflict: Outcome = { kind: 'conflict' };

/** Undefined for a write that would succeed here: its position is that of its own change. */
export function answerAt(request: Request, state: State, changes: readonly Change[]): Outcome | undefined {
  switch (request.kind) {
    case 'record': {
      const found = recordIn(state, request.collection, request.id);
      return found === undefined ? missing : ok([found.record]);
    }
    case 'version': {
      const found = recordIn(state, request.collection, request.id);
      return found === undefined ? missing : ok([String(found.version)]);
    }
    case 'first': {
      const found = firstIn(state, request.collection, request.external);
      return found === undefined ? missing : ok([found.plain]);
    }
    case 'list':
      return ok(state[request.collection].map(({ plain }) => plain));
    case 'total':
      return ok([String(state[request.collection].length)]);
    case 'page':
      return ok(page(request, state));
    case 'feed':
      return ok(feed(request, state, changes));
    case 'event':
      return (changes[state.position - 1]?.changeNumber ?? 0) >= request.changeNumber ? ok([]) : undefined;
    case 'create':
      return undefined;
    case 'remove':
      return firstIn(state, request.collection, request.external) === undefined ? missing : undefined;
    case 'update':
    case 'delete': {
      const found = recordIn(state, request.collection, request.id);
      if (found === undefined) return missing;
      return request.ifMatch === undefined || request.ifMatch === found.version ? undefined : conflict;
    }
  }
}

/** Whole records, and whether the page has a next one. */
function page(
  { collection, after, limit, descending, external }: Extract<Request, { kind: 'page' }>,
  state: State,
): string[] {
  const inOrder = descending === undefined ? state[collection] : state[collection].toReversed();
  const rest = inOrder.filter(
    (record) =>
      (after === undefined || (descending === undefined ? record.id > after : record.id < after)) &&
      (external === undefined || record.external === external),
  );
  return [...rest.slice(0, limit).map(({ record }) => record), rest.length > limit ? 'more' : 'end'];
}

/** The digests of the changes, and `last`: how far the server has looked. */
function feed(
  { after, limit, collection }: Extract<Request, { kind: 'feed' }>,
  { position }: State,
  changes: readonly Change[],
): string[] {
  const asked: Change[] = [];
  for (let index = positionOf(changes, after); index < position && asked.length <= limit; index++) {
    const change = changes[index];
    if (change !== undefined && (collection === undefined || change.collection === collection)) asked.push(change);
  }
  const shown = asked.slice(0, limit);
  const last = asked.length > limit ? shown.at(-1) : changes[position - 1];
  return [...shown.map(({ digest }) => digest), `last ${last?.changeNumber ?? 0}`];
}

/** The number of changes up to and including sequence number `recordId`. */
export function positionOf(changes: readonly Change[], changeNumber: number): number {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((changes[middle]?.changeNumber ?? 0) <= changeNumber) low = middle + 1;
    else high = middle;
  }
  return low;
}

function ok(shown: readonly string[]): Outcome {
  return { kind: 'ok', shown };
}

export function sameOutcome(left: Outcome | undefined, right: Outcome): boolean {
  if (left?.kind !== right.kind) return false;
  if (left.kind !== 'ok' || right.kind !== 'ok') return true;
  const { shown } = right;
  return left.shown.length === shown.length && left.shown.every((text, index) => text === shown[index]);
}
