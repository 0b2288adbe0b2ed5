/** What the types of `shelf types` say, and what follows from them. Nothing here exists at run time. */

/** The operators of filters. Those with `_ci` ignore case. */
export type Operator = Comparison | 'contains' | 'starts_with' | 'eq_ci' | 'contains_ci' | 'words' | 'has' | 'is';

/** The operators of values that have an order. */
export type Comparison = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in';

/** A filter of one field: a value to be equal to, or operators. `Fields` are the other fields that it can be compared with. */
export type Filter<Value, Operators extends Operator, Fields extends string = never> =
  | ('eq' extends Operators ? Value : never)
  | { readonly [One in Operators]?: Operand<One, Value, Fields> };

type Operand<One, Value, Fields> = One extends 'in'
  ? readonly Value[]
  : One extends 'is'
    ? 'null' | 'set'
    : Value | (One extends Comparison ? OtherField<Fields> : never);

/** Another field of the same record. */
type OtherField<Fields> = [Fields] extends [never] ? never : { readonly field: Fields };

/** One collection, as `shelf types` describes it. */
export type CollectionTypes = {
  /** The name of one record, as in `book.created`. */
  singular: string;
  /** A record in an answer. */
  record: { id: number; version: number };
  /** A record to be created. */
  draft: object;
  where: object;
  /** The fields that records can be sorted by. */
  sort: string;
  /** The integer, number and decimal fields. */
  numeric: string;
  /** The date fields. */
  days: string;
  /** The timestamp fields. */
  times: string;
  /** Each rule as the fields that are unique together. */
  unique: readonly string[];
  /** The fields that refer to records, with the collections of those. */
  references: object;
};

/** Every collection by its name: the interface `Shelf` of `shelf types`. */
export type ShelfTypes<Shelf> = { [Name in keyof Shelf]: CollectionTypes };

/** The types of a client without generated types. */
export type AnyShelf = {
  [name: string]: {
    singular: string;
    record: { id: number; version: number; created_at: string; updated_at: string; [field: string]: unknown };
    draft: { [field: string]: unknown };
    where: { [field: string]: unknown };
    sort: string;
    numeric: string;
    days: string;
    times: string;
    unique: string[];
    references: { [field: string]: string };
  };
};

export type RecordOf<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = Shelf[Name]['record'];
export type DraftOf<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = Shelf[Name]['draft'];
/** The fields to change. */
export type PatchOf<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = Partial<DraftOf<Shelf, Name>>;

type References<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = Shelf[Name]['references'];
/** The collection that a field refers to; never if it is no reference. */
export type ReferenceTo<
  Shelf extends ShelfTypes<Shelf>,
  Name extends keyof Shelf,
  Field,
> = Field extends keyof References<Shelf, Name> ? References<Shelf, Name>[Field] & keyof Shelf : never;

/** `author`, or `author.publisher`. */
export type ExpandOf<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = {
  [Field in keyof References<Shelf, Name> & string]:
    | Field
    | `${Field}.${keyof References<Shelf, ReferenceTo<Shelf, Name, Field>> & string}`;
}[keyof References<Shelf, Name> & string];

/** The fields of the records that references lead to: `author.name`, `author.publisher.name`. */
type PathTo<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = {
  [Field in keyof References<Shelf, Name> & string]: `${Field}.${FieldOrPath<Shelf, ReferenceTo<Shelf, Name, Field>>}`;
}[keyof References<Shelf, Name> & string];
type FieldOrPath<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> =
  | FieldOf<Shelf, Name>
  | {
      [Field in keyof References<Shelf, Name> & string]: `${Field}.${FieldOf<Shelf, ReferenceTo<Shelf, Name, Field>>}`;
    }[keyof References<Shelf, Name> & string];
type FieldOf<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = keyof Shelf[Name]['where'] & string;

type FilterAt<
  Shelf extends ShelfTypes<Shelf>,
  Name extends keyof Shelf,
  Path,
> = Path extends `${infer Field}.${infer Deeper}`
  ? FilterAt<Shelf, ReferenceTo<Shelf, Name, Field>, Deeper>
  : Shelf[Name]['where'][Path & keyof Shelf[Name]['where']];

/** Conditions on a record: all must hold. */
export type WhereOf<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = Shelf[Name]['where'] & {
  readonly [Path in PathTo<Shelf, Name>]?: NonNullable<FilterAt<Shelf, Name, Path>>;
} & {
  /** At least one of `any` must hold, each of `all`, and `not` holds if its conditions do not. A field of such a name keeps it. */
  readonly [One in Exclude<'any' | 'all' | 'not', keyof Shelf[Name]['where']>]?: One extends 'not'
    ? WhereOf<Shelf, Name>
    : readonly WhereOf<Shelf, Name>[];
};

/** The same without paths: a record that is referred to may change alone. */
export type OwnWhereOf<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = Shelf[Name]['where'] & {
  readonly [One in Exclude<'any' | 'all' | 'not', keyof Shelf[Name]['where']>]?: One extends 'not'
    ? OwnWhereOf<Shelf, Name>
    : readonly OwnWhereOf<Shelf, Name>[];
};

type First<Path> = Path extends `${infer Field}.${string}` ? Field : Path;
type Rest<Path, Field extends string> = Path extends `${Field}.${infer Deeper}` ? Deeper : never;

/** Null if the reference is null, and if the record is deleted while the answer is made. */
type Expanded<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf, Path> = {
  [Field in First<Path> & string]:
    | (RecordOf<Shelf, ReferenceTo<Shelf, Name, Field>> &
        WithExpanded<Shelf, ReferenceTo<Shelf, Name, Field>, Rest<Path, Field>>)
    | null;
};
type WithExpanded<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf, Path> = [Path] extends [never]
  ? unknown
  : { expanded: Expanded<Shelf, Name, Path> };

/** A record of a list: the fields that were asked for, and the records that it refers to. */
export type Row<
  Shelf extends ShelfTypes<Shelf>,
  Name extends keyof Shelf,
  Fields extends keyof RecordOf<Shelf, Name>,
  Path,
> = ([keyof RecordOf<Shelf, Name>] extends [Fields] ? RecordOf<Shelf, Name> : Pick<RecordOf<Shelf, Name>, Fields>) &
  WithExpanded<Shelf, Name, Path>;

export type Page<Record, Count = undefined> = {
  data: Record[];
  /** For the next page; null on the last one. */
  next_cursor: string | null;
  /** The number of all matching records, with `count: 'exact'`. */
  total: Count extends 'exact' ? number : undefined;
};

/** Read the lists: changes up to `seq` are in them, or cannot be had any more. The changes after it follow. */
export type Resync = { seq: number; type: 'resync' };

/** A committed change. */
export type Change<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = {
  [One in Name]: {
    /** Only grows. */
    seq: number;
    type: `${Shelf[One]['singular']}.${'created' | 'updated' | 'deleted'}`;
    at: string;
    /** The name of the key that made it, or the subject of its token; null if there was none. */
    by: string | null;
    /** The trace of the request that made it, if the server has OpenTelemetry on. */
    trace_id?: string;
    /** Only for a change of a transaction of several operations: the number of its first change, and how many it has. */
    transaction?: { first: number; size: number };
    /** After the change; of a deletion, the last state. */
    record: RecordOf<Shelf, One>;
    /** Of an update, what it changed, as it was before. Not in an update of a server before 0.6. */
    before?: Partial<RecordOf<Shelf, One>>;
  };
}[Name];
