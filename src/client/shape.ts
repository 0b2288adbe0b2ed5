/** What the types of `shelf types` say, and what follows from them. Nothing here exists at run time. */

/** The operators of filters. */
export type Operator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'contains' | 'starts_with' | 'has' | 'is';

/** The operators of values that have an order. */
export type Comparison = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in';

/** A filter of one field: a value to be equal to, or operators. */
export type Filter<Value, Operators extends Operator> =
  | ('eq' extends Operators ? Value : never)
  | { readonly [One in Operators]?: One extends 'in' ? readonly Value[] : One extends 'is' ? 'null' | 'set' : Value };

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
    references: { [field: string]: string };
  };
};

export type RecordOf<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = Shelf[Name]['record'];
export type DraftOf<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = Shelf[Name]['draft'];
/** The fields to change. */
export type PatchOf<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = Partial<DraftOf<Shelf, Name>>;

type References<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = Shelf[Name]['references'];
type Target<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf, Field> = Field extends keyof References<
  Shelf,
  Name
>
  ? References<Shelf, Name>[Field] & keyof Shelf
  : never;

/** `author`, or `author.publisher`. */
export type ExpandOf<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = {
  [Field in keyof References<Shelf, Name> & string]:
    | Field
    | `${Field}.${keyof References<Shelf, Target<Shelf, Name, Field>> & string}`;
}[keyof References<Shelf, Name> & string];

type First<Path> = Path extends `${infer Field}.${string}` ? Field : Path;
type Rest<Path, Field extends string> = Path extends `${Field}.${infer Deeper}` ? Deeper : never;

/** Null if the reference is null, and if the record is deleted while the answer is made. */
type Expanded<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf, Path> = {
  [Field in First<Path> & string]:
    | (RecordOf<Shelf, Target<Shelf, Name, Field>> & WithExpanded<Shelf, Target<Shelf, Name, Field>, Rest<Path, Field>>)
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
    /** After the change; of a deletion, the last state. */
    record: RecordOf<Shelf, One>;
  };
}[Name];
