/** Checks each record for linearizability from the answers alone, because the feed itself may be wrong. */

import { describe, type Operation } from '../clients/operation.ts';
import { bodyOf, Identities } from './identities.ts';
import { type Step, unexplained } from './linear.ts';
import { Removals } from './removals.ts';

/** A record is in one of these states, or has a version and a name. */
const never = 'never';
const gone = 'gone';
/** The create of this record is not known: the first answer that shows the record sets the state. */
const unseen = 'unseen';

const stateOf = (version: number, name: string) => `${version} ${name}`;
const versionOf = (state: string) => Number.parseInt(state, 10);
const exists = (state: string) => state !== never && state !== gone;

const maxNamed = 12;

export function judgeRecords(operations: readonly Operation[]): string[] {
  const histories = new Map<string, Step[]>();
  const identities = new Identities(operations);
  const removals = new Removals();
  for (const operation of oneByWrite(operations)) {
    if (operation.request.kind === 'remove' && identities.of(operation.request) === undefined) removals.add(operation);
    for (const { record, apply } of stepsOf(operation, identities)) {
      const steps = histories.get(record);
      if (steps === undefined) histories.set(record, [{ operation, apply }]);
      else steps.push({ operation, apply });
    }
  }
  const complaints: string[] = [];
  for (const [record, steps] of histories) {
    const created = steps.some(({ operation }) => operation.request.kind === 'create');
    const start = steps.reduce(
      (earliest, { operation }) => Math.min(earliest, operation.invoked),
      Number.POSITIVE_INFINITY,
    );
    const removed = removals.from(identities.externals(record), start).map((operation) => ({
      operation,
      apply: transition(operation.request, operation.outcome),
    }));
    const operation = unexplained([...steps, ...removed], created ? never : unseen);
    if (operation !== undefined) complaints.push(complaint(record, operation, steps));
  }
  return complaints;
}

/** The attempts of one keyed write are one operation: from the first that may have had an effect to the first answer. */
function oneByWrite(operations: readonly Operation[]): Operation[] {
  const writes = new Map<string, Operation>();
  const all: Operation[] = [];
  for (const operation of operations) {
    const { request, outcome } = operation;
    if (outcome.kind === 'failed') continue;
    if (request.kind !== 'create') {
      all.push(operation);
      continue;
    }
    const name = request.drafts[0]?.name ?? '';
    const other = writes.get(name);
    writes.set(name, other === undefined ? operation : merged(other, operation));
  }
  return [...all, ...writes.values()];
}

function merged(left: Operation, right: Operation): Operation {
  const invoked = Math.min(left.invoked, right.invoked);
  if (right.outcome.kind !== 'ok') return { ...left, invoked };
  if (left.outcome.kind !== 'ok' || right.answered < left.answered) return { ...right, invoked };
  return { ...left, invoked };
}

function complaint(record: string, operation: Operation, steps: readonly Step[]): string {
  const around = steps
    .map((step) => step.operation)
    .filter((other) => other !== operation && other.invoked <= operation.answered)
    .sort((left, right) => left.answered - right.answered)
    .slice(-maxNamed);
  return `not linearizable: ${record}: no order explains ${describe(operation)} together with ${around.map(describe).join(' and ')}`;
}

type Transition = { readonly record: string; apply(state: string): string | undefined };

function stepsOf(operation: Operation, identities: Identities): Transition[] {
  const { request, outcome } = operation;
  if (request.kind === 'create') {
    return request.drafts.flatMap(({ name }, index) => {
      const record = identities.created(operation, index);
      if (record === undefined) return [];
      return [{ record, apply: (state) => (state === never ? stateOf(1, name) : undefined) }];
    });
  }
  const record = identities.of(request);
  if (record === undefined) return [];
  return [{ record, apply: transition(request, outcome) }];
}

/** The first text of an answer is the record, or its version. */
function transition(request: Operation['request'], outcome: Operation['outcome']): Transition['apply'] {
  const ifMatch = 'ifMatch' in request ? request.ifMatch : undefined;
  if (outcome.kind === 'missing') return (state) => (state === unseen || !exists(state) ? state : undefined);
  if (outcome.kind === 'conflict')
    return (state) => (state === unseen || (exists(state) && versionOf(state) !== ifMatch) ? state : undefined);
  const text = outcome.kind === 'ok' ? outcome.shown[0] : undefined;
  switch (request.kind) {
    case 'update':
      return updated(request.name, ifMatch, bodyOf(text)?.version);
    case 'delete':
    case 'remove':
      return (state) => {
        if (state === unseen) return gone;
        return exists(state) && (ifMatch === undefined || versionOf(state) === ifMatch) ? gone : undefined;
      };
    case 'version':
      return (state) => (state === unseen || versionOf(state) === Number(text) ? state : undefined);
    case 'record': {
      const body = bodyOf(text);
      const shown = stateOf(body?.version ?? 0, body?.name ?? '');
      return (state) => (state === unseen || state === shown ? shown : undefined);
    }
    case 'first': {
      const { name } = JSON.parse(text ?? '{}') as { readonly name?: string };
      return (state) => (state === unseen || (exists(state) && state.endsWith(` ${name}`)) ? state : undefined);
    }
    default:
      return (state) => state;
  }
}

/** `version` is the one that the answer shows; undefined if the outcome is unknown. */
function updated(name: string, ifMatch: number | undefined, version: number | undefined): Transition['apply'] {
  return (state) => {
    if (state === unseen) return version === undefined ? unseen : stateOf(version, name);
    if (!exists(state)) return undefined;
    const next = versionOf(state) + 1;
    if (ifMatch !== undefined && ifMatch + 1 !== next) return undefined;
    return version === undefined || version === next ? stateOf(next, name) : undefined;
  };
}
