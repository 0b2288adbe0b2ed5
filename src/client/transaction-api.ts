/** The methods of a transaction. */
import type { CreateOptions } from './send/sender.ts';
import type { DraftOf, PatchOf, RecordOf, ReferenceTo, ShelfTypes, WhereOf } from './shape.ts';
import type { Target } from './target.ts';

declare const results: unique symbol;

/**
 * The result of an operation before the commit. In what the transaction resolves to, `Short` takes its place, or `Long` with
 * `return: 'records'`.
 */
export interface Pending<Short, Long = Short> {
  readonly [results]: readonly [Short, Long];
}

/** A record before the commit. */
export type PendingRecord<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = Pending<
  { id: number; version: number },
  RecordOf<Shelf, Name>
>;

/** A number of records before the commit. */
export type PendingCount = Pending<{ count: number }>;

/** A record that the transaction creates. Later operations take it as an id, and as a reference. */
export interface CreatedRecord<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf>
  extends Pending<{ id: number; version: number }, RecordOf<Shelf, Name>> {
  readonly collection: Name;
}

/** What a transaction resolves to: the value that its function returned, with results in place of what was pending. */
export type Settled<Value, Return> =
  Value extends Pending<infer Short, infer Long>
    ? Return extends 'records'
      ? Long
      : Short
    : Value extends (...args: never) => unknown
      ? Value
      : Value extends object
        ? { [Key in keyof Value]: Settled<Value[Key], Return> }
        : Value;

/** The numbers of the changes of a transaction, without a gap. */
export type CommittedChanges = { firstChange: number; lastChange: number };

/** A reference may also be a `bigint`, or a record that the transaction creates. */
type WithCreated<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf, Fields> = {
  [Field in keyof Fields]:
    | Fields[Field]
    | ([ReferenceTo<Shelf, Name, Field>] extends [never]
        ? never
        : bigint | CreatedRecord<Shelf, ReferenceTo<Shelf, Name, Field>>);
};

/** A reference may also be a `bigint`. */
export type MatchOf<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> =
  | WhereOf<Shelf, Name>
  | {
      readonly [Field in keyof WhereOf<Shelf, Name>]:
        | WhereOf<Shelf, Name>[Field]
        | ([ReferenceTo<Shelf, Name, Field>] extends [never] ? never : bigint);
    };

/** The id of a record, a record whose version is checked, or one that the transaction creates. */
export type OperationTarget<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> =
  | Target
  | bigint
  | CreatedRecord<Shelf, Name>;

/** What must hold for the record when its operation is done. The transaction fails otherwise. */
export type Conditions<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = {
  /** The record has this version. */
  readonly version?: number;
  /** The record matches. */
  readonly where?: MatchOf<Shelf, Name>;
};

/** How many records match: exactly so many, or within these bounds. */
export type CountBounds = number | { readonly [One in 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte']?: number };

/** The transaction fails if another number of records matches. */
export type CountCondition = { readonly count: CountBounds };

/** An integer is a `bigint`, a number is a `number`, and a decimal is text. */
export type AmountsOf<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = [Shelf[Name]['numeric']] extends [
  never,
]
  ? never
  : {
      readonly [Field in Shelf[Name]['numeric'] & keyof DraftOf<Shelf, Name>]?: NonNullable<
        DraftOf<Shelf, Name>[Field]
      >;
    };

/** Without generated types, any field can be in the key, and in the record. */
type Without<Fields, Field> = string extends Field ? Fields : Omit<Fields, Field & string>;

/** The fields of a unique rule, and all others. */
type KeyAndRecord<
  Shelf extends ShelfTypes<Shelf>,
  Name extends keyof Shelf,
  Rule,
> = Rule extends readonly (infer Field)[]
  ? [
      key: WithCreated<
        Shelf,
        Name,
        { readonly [One in Field & keyof DraftOf<Shelf, Name>]: NonNullable<DraftOf<Shelf, Name>[One]> }
      >,
      record: WithCreated<Shelf, Name, Without<DraftOf<Shelf, Name>, Field>>,
    ]
  : never;

/** The operations on the records of one collection. They are collected, and done in this order when the function has returned. */
export interface CollectionOperations<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> {
  /**
   * Adds a record.
   *
   * @example
   * const author = t.authors.create({ name: 'Borges' });
   * t.books.create({ title: 'Ficciones', isbn: '9780802130303', price: '9.99', author });
   */
  create(record: WithCreated<Shelf, Name, DraftOf<Shelf, Name>>): CreatedRecord<Shelf, Name>;

  /**
   * Changes some fields.
   *
   * @example
   * t.books.update(7, { in_stock: false }, { where: { state: 'published' } });
   * t.books.update(book, { pages: null }); // if it still has the version of `book`
   */
  update(
    target: OperationTarget<Shelf, Name>,
    patch: WithCreated<Shelf, Name, PatchOf<Shelf, Name>>,
    conditions?: Conditions<Shelf, Name>,
  ): PendingRecord<Shelf, Name>;

  /**
   * Replaces every field: one that is left out gets its default, or null.
   *
   * @example
   * t.authors.replace(7, { name: 'Jorge Luis Borges' }, { version: 2 });
   */
  replace(
    target: OperationTarget<Shelf, Name>,
    record: WithCreated<Shelf, Name, DraftOf<Shelf, Name>>,
    conditions?: Conditions<Shelf, Name>,
  ): PendingRecord<Shelf, Name>;

  /**
   * Adds to integer, number and decimal fields, exactly. Fails with `out_of_bounds` if a sum is not allowed by its field.
   *
   * @example
   * t.books.add(7, { price: '-2.50', pages: 1n });
   */
  add(
    target: OperationTarget<Shelf, Name>,
    amounts: AmountsOf<Shelf, Name>,
    conditions?: Conditions<Shelf, Name>,
  ): PendingRecord<Shelf, Name>;

  /**
   * Deletes a record, with those that its deletion cascades to.
   *
   * @example
   * t.books.delete(7, { where: { in_stock: false } });
   */
  delete(target: OperationTarget<Shelf, Name>, conditions?: Conditions<Shelf, Name>): PendingRecord<Shelf, Name>;

  /**
   * Changes the record that has these unique values, or adds one if there is none.
   *
   * @example
   * t.books.upsert({ isbn: '9780802130303' }, { title: 'Ficciones', price: '8.50', author: 7 });
   */
  upsert(...keyAndRecord: KeyAndRecord<Shelf, Name, Shelf[Name]['unique']>): PendingRecord<Shelf, Name>;

  /**
   * Changes nothing. Fails the transaction if there is no such record, or if it is not as the conditions say.
   *
   * @example
   * t.authors.check(7);
   * t.books.check(book, { where: { state: 'published' } });
   * t.books.check(8, { exists: false });
   * t.books.check({ author: 7, state: 'draft' }, { count: { lt: 5 } });
   */
  check(
    target: OperationTarget<Shelf, Name>,
    conditions?: Conditions<Shelf, Name> & { readonly exists?: true },
  ): PendingRecord<Shelf, Name>;
  /** There is no record with this id. */
  check(id: number | bigint, conditions: { readonly exists: false }): Pending<{ id: number; version: null }>;
  /** So many records match. */
  check(where: MatchOf<Shelf, Name>, condition: CountCondition): PendingCount;

  /**
   * Changes some fields of every record that matches, at most 10,000 in one transaction.
   *
   * @example
   * t.books.updateWhere({ author: 7, state: 'draft' }, { state: 'published' }, { count: { lte: 50 } });
   */
  updateWhere(
    where: MatchOf<Shelf, Name>,
    patch: WithCreated<Shelf, Name, PatchOf<Shelf, Name>>,
    condition?: CountCondition,
  ): PendingCount;

  /**
   * Adds to fields of every record that matches.
   *
   * @example
   * t.books.addWhere({ author: 7 }, { price: '0.50' });
   */
  addWhere(where: MatchOf<Shelf, Name>, amounts: AmountsOf<Shelf, Name>, condition?: CountCondition): PendingCount;

  /**
   * Deletes every record that matches.
   *
   * @example
   * t.reviews.deleteWhere({ book: 7 }, { count: { gt: 0 } });
   */
  deleteWhere(where: MatchOf<Shelf, Name>, condition?: CountCondition): PendingCount;
}

/** Each collection under its name. */
export type Operations<Shelf extends ShelfTypes<Shelf>> = {
  readonly [Name in keyof Shelf]: CollectionOperations<Shelf, Name>;
} & {
  /** The numbers of the changes; null if nothing was changed. Returned from the function, it is replaced as other results are. */
  readonly changes: Pending<CommittedChanges | null>;
};

export type TransactionOptions<Return extends 'records' | undefined> = CreateOptions & {
  /** Makes each result the whole record; it has `id` and `version` otherwise. */
  readonly return?: Return;
};

/** The function of a transaction must not be async: the operations after an `await` would be lost. */
export type NoPromise<Result> = Result extends PromiseLike<unknown> ? never : unknown;
