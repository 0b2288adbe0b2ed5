/** A transaction of several operations, as it is sent to the writing thread. Conditions are SQL already. */

import type { Once } from '../../../../domain/store/once.ts';
import type { CountBounds, RecordPieces, RecordRef } from '../../../../domain/store/operation.ts';
import type { Precondition } from '../../../../domain/store/precondition.ts';
import type { StepResult } from '../../../../domain/store/transaction.ts';
import type { Search } from '../../search/search.ts';
import type { Value } from '../../search/slices.ts';

/** JSON has no 64-bit integers. */
export type SentValue = string | number | null | { readonly integer: string };

/** A condition on one record: a statement with the parameters of the condition, and the record id as the last one. */
export type RecordCondition = { readonly sql: string; readonly parameters: readonly SentValue[] };

/** A search whose parameters are in JSON. */
export type SentSearch = Omit<Search, 'parameters' | 'walk'> & {
  readonly parameters: readonly SentValue[];
  readonly walk:
    | (Omit<NonNullable<Search['walk']>, 'baseParameters'> & { readonly baseParameters: readonly SentValue[] })
    | undefined;
};

export type OneWrite = {
  readonly recordId: RecordRef;
  readonly when: Precondition<number> | undefined;
  readonly where: RecordCondition | undefined;
};

/** `search` finds the record ids, or for a check their number. */
export type MatchingWrite = { readonly search: SentSearch; readonly count: CountBounds | undefined };

/** The fields of a unique rule, and the condition for which it holds as SQL; undefined for all records. */
export type UniqueKey = { readonly key: readonly string[]; readonly among: string | undefined };

type TargetWrite = OneWrite | MatchingWrite;

/** On each record after the change. */
type After = { readonly after: RecordCondition | undefined };

/** A guard has no result. */
type Guard = { readonly isGuard: boolean };

/** `place` is the index of the collection. */
export type StepWrite = { readonly place: number } & (
  | (After & { readonly op: 'create'; readonly json: RecordPieces })
  | (After & { readonly op: 'update'; readonly target: TargetWrite; readonly json: RecordPieces })
  | (After & { readonly op: 'add'; readonly target: TargetWrite; readonly json: string })
  | { readonly op: 'delete'; readonly target: TargetWrite }
  | (UniqueKey & After & { readonly op: 'upsert'; readonly json: RecordPieces; readonly sent: RecordPieces })
  | (Guard & { readonly op: 'check'; readonly target: OneWrite & { readonly exists: boolean } })
  | (Guard & { readonly op: 'check'; readonly target: MatchingWrite })
);

export type TransactionWrite = {
  readonly op: 'transaction';
  readonly by: string | undefined;
  readonly traceId?: string | undefined;
  readonly steps: readonly StepWrite[];
  readonly once: Once | undefined;
  readonly permitted: readonly string[] | undefined;
  readonly returnsRecords: boolean;
};

/** The results, as they are also stored with the key. */
export type TransactionResults = {
  readonly results: readonly StepResult[];
  readonly firstChange: number | null;
  readonly lastChange: number | null;
};

export function sent(values: readonly Value[]): SentValue[] {
  return values.map((value) => (typeof value === 'bigint' ? { integer: String(value) } : value));
}

export function received(values: readonly SentValue[]): Value[] {
  return values.map((value) => (typeof value === 'object' && value !== null ? BigInt(value.integer) : value));
}

export function sentSearch({ walk, parameters, ...search }: Search): SentSearch {
  const sentWalk = walk && { ...walk, baseParameters: sent(walk.baseParameters) };
  return { ...search, parameters: sent(parameters), walk: sentWalk };
}

export function receivedSearch({ walk, parameters, ...search }: SentSearch): Search {
  const receivedWalk = walk && { ...walk, baseParameters: received(walk.baseParameters) };
  return { ...search, parameters: received(parameters), walk: receivedWalk };
}

/** The JSON of a record, with the ids of records that operations have made. */
export function textOf(pieces: RecordPieces, made: readonly (number | undefined)[]): string {
  const [first] = pieces;
  // Most records refer to none, and a thousand lists would be made and joined.
  if (pieces.length === 1 && typeof first === 'string') return first;
  return pieces.map((piece) => (typeof piece === 'string' ? piece : made[piece])).join('');
}
