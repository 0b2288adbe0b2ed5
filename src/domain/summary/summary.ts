/** A summary: the records of a collection in groups, with measures of each group. `docs/queries.md` explains it. */
import type { Order } from '../input/query.ts';
import type { Field, FieldValue } from '../types/type.ts';
import type { Where } from '../where/where.ts';

/** What an engine and the threads need. It is plain, but for the paths in `where`. */
export type Summary = {
  readonly groups: readonly GroupBy[];
  readonly measures: readonly Measure[];
  readonly where: Where;
  /** Conditions on the measures. */
  readonly having: Where;
  /** By names of groups and measures. */
  readonly sort: readonly Order[];
  /** Undefined for all groups, of which there may be `maxRows`. */
  readonly limit: number | undefined;
};

/** A field, or `part` of it, whose values make groups. */
export type GroupBy = { readonly name: string; readonly key: string; readonly part?: string };

export type Operation = 'sum' | 'avg' | 'min' | 'max' | 'distinct';
export const operations: readonly Operation[] = ['sum', 'avg', 'min', 'max', 'distinct'];

export type Measure = FieldMeasure | { readonly name: 'count' };
export type FieldMeasure = { readonly name: string; readonly key: string; readonly operation: Operation };

/** The name of a group or a measure in a row, and its values. */
export type SummaryColumn = { readonly name: string; readonly field: Field };

/** The groups of an engine. */
export type Group = {
  readonly values: readonly FieldValue[];
  readonly count: number;
  /** For each of `talliesOf`. */
  readonly tallies: readonly Tally[];
};

/** Of one field in one group. Null is not counted. */
export type Tally = {
  readonly count: number;
  /** Exact. In units of the last place of the field's values; of doubles, of the smallest double. */
  readonly sum: bigint;
  readonly min: FieldValue;
  readonly max: FieldValue;
  /** The number of different values. */
  readonly distinct: number;
};

/** What is wanted of one field; the other members of its `Tally` have no meaning. */
export type Tallied = {
  readonly key: string;
  readonly sum: boolean;
  readonly range: boolean;
  readonly distinct: boolean;
};

/** One for each field that is measured. */
export function talliesOf({ measures }: Pick<Summary, 'measures'>): readonly Tallied[] {
  const byKey = Map.groupBy(measures.filter(isOfField), ({ key }) => key);
  return [...byKey].map(([key, some]) => {
    const has = (...wanted: readonly Operation[]) => some.some(({ operation }) => wanted.includes(operation));
    return { key, sum: has('sum', 'avg'), range: has('min', 'max'), distinct: has('distinct') };
  });
}

export function isOfField(measure: Measure): measure is FieldMeasure {
  return 'operation' in measure;
}

/** In the parameters. */
export const most = { groups: 4, measures: 10 };
/** Rows in an answer. */
export const maxRows = 10_000;
