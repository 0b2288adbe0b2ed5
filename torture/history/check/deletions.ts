/** Matches deletions in the feed with requests. A record is deleted only once, so the record identifies its deletion. */

import { describe, type Operation } from '../clients/operation.ts';
import { type Change, describeChange } from './change.ts';
import type { Effects } from './placement.ts';
import { apply, firstIn, nothing } from './state.ts';

type Deletion = { readonly position: number; readonly change: Change; readonly wasFirst: boolean };

export function judgeDeletions(operations: readonly Operation[], changes: readonly Change[], effects: Effects): void {
  const byRecord = new Map<string, Deletion>();
  const byExternal = new Map<string, Deletion[]>();
  let state = nothing;
  for (const [index, change] of changes.entries()) {
    if (change.type === 'deleted') {
      const wasFirst = firstIn(state, change.collection, change.external)?.id === change.id;
      const deletion = { position: index + 1, change, wasFirst };
      byRecord.set(`${change.collection} ${change.id}`, deletion);
      const external = `${change.collection} ${change.external}`;
      add(byExternal, external, deletion);
    }
    state = apply(state, change);
  }
  const claims = judgeByRecord(operations, byRecord, effects);
  judgeByExternal(operations, byExternal, claims, effects);
}

/** Deletions that an acknowledged request has claimed, and those that a request with an unknown outcome may have made. */
type Claims = { readonly certain: Set<Deletion>; readonly possible: Set<Deletion> };

function judgeByRecord(
  operations: readonly Operation[],
  byRecord: ReadonlyMap<string, Deletion>,
  { placements, complaints }: Effects,
): Claims {
  const owners = new Map<Deletion, Operation>();
  const possible = new Set<Deletion>();
  for (const operation of operations) {
    const { request, outcome } = operation;
    if (request.kind !== 'delete') continue;
    const deletion = byRecord.get(`${request.collection} ${request.id}`);
    if (outcome.kind === 'unknown' && deletion !== undefined) possible.add(deletion);
    if (outcome.kind !== 'ok') continue;
    if (deletion === undefined) {
      complaints.push(`lost: ${describe(operation)} was acknowledged and is not in the feed`);
      continue;
    }
    const { position, change } = deletion;
    const owner = owners.get(deletion);
    if (owner !== undefined)
      complaints.push(`doubled: ${describe(owner)} and ${describe(operation)} both deleted the same record`);
    owners.set(deletion, operation);
    placements.set(operation, { kind: 'made', first: position, last: position });
    if (request.ifMatch !== undefined && request.ifMatch !== change.version)
      complaints.push(`altered: ${describe(operation)} deleted version ${change.version}`);
  }
  return { certain: new Set(owners.keys()), possible };
}

function judgeByExternal(
  operations: readonly Operation[],
  byExternal: ReadonlyMap<string, readonly Deletion[]>,
  { certain, possible }: Claims,
  { placements, complaints }: Effects,
): void {
  const removals = new Map<string, Operation[]>();
  for (const operation of operations) {
    const { request, outcome } = operation;
    if (request.kind !== 'remove' || (outcome.kind !== 'ok' && outcome.kind !== 'unknown')) continue;
    add(removals, `${request.collection} ${request.external}`, operation);
  }
  for (const [external, asked] of removals) {
    const free = (byExternal.get(external) ?? []).filter((deletion) => !certain.has(deletion) && deletion.wasFirst);
    const acknowledged = asked.filter(({ outcome }) => outcome.kind === 'ok');
    const positions = free.map(({ position }) => position);
    for (const operation of acknowledged) placements.set(operation, { kind: 'made one of', positions });
    if (acknowledged.length > free.length)
      complaints.push(
        `lost: ${acknowledged.map(describe).join(' and ')} were acknowledged, and the feed has ${free.length} such deletions`,
      );
  }
  for (const [external, deletions] of byExternal) {
    const asked = removals.get(external)?.length ?? 0;
    const unexplained = deletions.filter((deletion) => !certain.has(deletion) && !possible.has(deletion));
    if (unexplained.length <= asked) continue;
    const tried = operations.filter(({ request }) => isAbout(request, unexplained));
    complaints.push(
      `phantom after a definite failure: ${unexplained.map(({ change }) => describeChange(change)).join(', ')} ` +
        `happened; requests for it: ${tried.map(describe).join(' and ') || 'none'}`,
    );
  }
}

function isAbout(request: Operation['request'], deletions: readonly Deletion[]): boolean {
  return deletions.some(
    ({ change }) =>
      (request.kind === 'delete' && request.collection === change.collection && request.id === change.id) ||
      (request.kind === 'remove' && request.collection === change.collection && request.external === change.external),
  );
}

function add<Value>(groups: Map<string, Value[]>, key: string, value: Value): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [value]);
  else group.push(value);
}
