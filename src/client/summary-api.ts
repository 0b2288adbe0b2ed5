/** Summaries: what can be grouped and measured, and the rows that follow from it. Nothing here exists at run time. */
import type { CallOptions } from './send/sender.ts';
import type { Comparison, Filter, RecordOf, ShelfTypes, WhereOf } from './shape.ts';

type PartOfDay = 'year' | 'quarter' | 'month' | 'week' | 'day';

/** Fields, and parts of days and times. */
export type GroupOf<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> =
  | Shelf[Name]['sort']
  | `${Shelf[Name]['days'] | Shelf[Name]['times']}.${PartOfDay}`
  | `${Shelf[Name]['times']}.hour`;

/** `count`, and measures of fields, such as `price.sum`. */
export type MeasureOf<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> =
  | 'count'
  | `${Shelf[Name]['numeric']}.${'sum' | 'avg'}`
  | `${Compared<Shelf[Name]['where']>}.${'min' | 'max'}`
  | `${Shelf[Name]['sort']}.distinct`;

/** The fields that have a least and a greatest value: those that can be compared by `lt`. */
type Compared<Where> = string extends keyof Where
  ? string
  : { [Field in keyof Where]-?: 'lt' extends OperatorsIn<Where[Field]> ? Field & string : never }[keyof Where];
type OperatorsIn<One> = One extends object ? keyof One : never;

/** A field of the record; null if it can be. */
type Value<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf, Field> = RecordOf<Shelf, Name>[Field &
  keyof RecordOf<Shelf, Name>];

type GroupValue<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf, Group> = Group extends Shelf[Name]['sort']
  ? Value<Shelf, Name, Group>
  : Group extends `${infer Field}.${infer Part}`
    ? (Part extends 'year' ? number : string) | Extract<Value<Shelf, Name, Field>, null>
    : never;

/** The measures of nothing are null, but for counts. An average of integers is a decimal, so it is text. */
type MeasureValue<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf, Measure> = Measure extends
  | 'count'
  | `${string}.distinct`
  ? number
  : Measure extends `${infer Field}.avg`
    ? (NonNullable<Value<Shelf, Name, Field>> extends number ? number : string) | null
    : Measure extends `${infer Field}.${string}`
      ? Value<Shelf, Name, Field> | null
      : never;

/** A row of a summary: the groups and measures that were asked for. */
export type SummaryRow<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf, Group, Measure> = {
  [One in (Group | Measure) & string]: One extends Group
    ? GroupValue<Shelf, Name, One>
    : MeasureValue<Shelf, Name, One>;
};

export type Summary<Row> = {
  data: Row[];
  /** The number of rows without the limit. */
  groups: number;
};

/** Conditions on the measures that are asked for. */
export type HavingOf<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf, Measure extends string> = {
  readonly [One in Measure]?: Filter<
    NonNullable<MeasureValue<Shelf, Name, One>>,
    Comparison | (null extends MeasureValue<Shelf, Name, One> ? 'is' : never),
    Measure
  >;
} & {
  readonly any?: readonly HavingOf<Shelf, Name, Measure>[];
  readonly all?: readonly HavingOf<Shelf, Name, Measure>[];
  readonly not?: HavingOf<Shelf, Name, Measure>;
};

export type SummaryOptions<
  Shelf extends ShelfTypes<Shelf>,
  Name extends keyof Shelf,
  Group extends string,
  Measure extends string,
> = CallOptions & {
  /** Up to four; all records are one group if absent. */
  readonly group?: readonly Group[];
  /** Up to ten; `count` if absent. */
  readonly measures?: readonly Measure[];
  /** The records that are summarized. */
  readonly where?: WhereOf<Shelf, Name>;
  /** Only groups whose measures match are rows. */
  readonly having?: HavingOf<Shelf, Name, NoInfer<Measure>>;
  /** Groups and measures to sort by; `-` before a name sorts it descending. Ties are sorted by the groups. */
  readonly sort?: readonly (NoInfer<Group | Measure> | `-${NoInfer<Group | Measure>}`)[];
  /** At most so many rows. Without it, a summary with more than 10,000 rows is rejected. */
  readonly limit?: number;
};
