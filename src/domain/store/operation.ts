/** The operations of a transaction of several records, as the engines apply them. Each sees those before it. */
import type { Collection } from '../record/collection.ts';
import type { UniqueRule } from '../record/unique-rules.ts';
import type { Where } from '../where/where.ts';
import type { Precondition } from './precondition.ts';

/** A record by its id, or the one that an earlier operation made, by the index of that operation. */
export type RecordRef = number | { readonly made: number };

/** An encoded record in pieces. A number stands for the id of the record that the operation with this index made. */
export type RecordPieces = readonly (string | number)[];

export const countOperators = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'] as const;

/** What the number of records must be. All of them must hold. */
export type CountBounds = Readonly<Partial<Record<(typeof countOperators)[number], number>>>;

type To = { readonly collection: Collection };

/** A condition on each record after the change: the operation is refused if it does not hold. */
type After = { readonly after?: Where | undefined };

/** One record, on conditions. `where` is on its values as they are then. */
type OneRecord = {
  readonly recordId: RecordRef;
  readonly when?: Precondition<number> | undefined;
  readonly where?: Where | undefined;
};

/** Every record that matches, in the order of their ids: at most `maxMatching` in one transaction. */
type Matching = { readonly where: Where; readonly count?: CountBounds | undefined };

type Target = OneRecord | (Matching & { readonly recordId?: undefined });

/** Adds a record at the end. Without a contract id in it, that is its record id. */
export type CreateStep = To & After & { readonly op: 'create'; readonly json: RecordPieces };

/** Changes the fields in `json`. */
export type UpdateStep = To & Target & After & { readonly op: 'update'; readonly json: RecordPieces };

/** Adds the numbers in `json`, an encoded object of integer, number and decimal fields. Null counts as zero. */
export type AddStep = To & Target & After & { readonly op: 'add'; readonly json: string };

export type DeleteStep = To & Target & { readonly op: 'delete' };

/**
 * Changes the fields in `sent` of the record that has the same values in the fields of `rule`, and that the rule is for; adds `json` if there is
 * none. Both have these fields.
 */
export type UpsertStep = To &
  After & {
    readonly op: 'upsert';
    readonly rule: UniqueRule;
    readonly json: RecordPieces;
    readonly sent: RecordPieces;
  };

/** Changes nothing. The record exists, or does not; or the number of records that match is right. */
export type CheckStep = To & {
  readonly op: 'check';
  /** It has no result. */
  readonly isGuard?: true;
} & (
    | (OneRecord & { readonly exists: boolean })
    | (Matching & { readonly count: CountBounds; readonly recordId?: undefined })
  );

export type Step = CreateStep | UpdateStep | AddStep | DeleteStep | UpsertStep | CheckStep;

/** The most records that operations without an id change in one transaction. */
export const maxMatching = 10_000;

/** The most records that one operation reads to find those that match, and the most time that all of them take for that. */
export const maxExamined = { records: 100_000, ms: 50 };

/**
 * An operation that reads at most so many records to find those that match counts for less time: a thousand of them take longer than one that reads many,
 * above all on a busy machine. Large records take time even if they are few.
 */
export const fewExamined = { records: 100, share: 1 / 50 };

/** The most changes of one transaction, with those of cascades. */
export const maxChanges = 20_000;

/** The most bytes of the records that one transaction reads by their ids, changes and returns: all other writes wait for it. */
export const maxRecordBytes = 16 * 1024 * 1024;

export function countHolds(count: number, bounds: CountBounds): boolean {
  const { eq, ne, lt, lte, gt, gte } = bounds;
  return (
    (eq === undefined || count === eq) &&
    (ne === undefined || count !== ne) &&
    (lt === undefined || count < lt) &&
    (lte === undefined || count <= lte) &&
    (gt === undefined || count > gt) &&
    (gte === undefined || count >= gte)
  );
}
