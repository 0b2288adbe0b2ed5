/** The methods of a client. */

import type { CreateManyOptions, KeyedDraft, KeyedManyOptions, KeyOf } from './bulk-api.ts';
import type { ShelfError } from './send/failure.ts';
import type { CallOptions, CreateOptions } from './send/sender.ts';
import type {
  Change,
  DraftOf,
  ExpandOf,
  OwnWhereOf,
  Page,
  PatchOf,
  RecordOf,
  Resync,
  Row,
  ShelfTypes,
  WhereOf,
} from './shape.ts';
import type { GroupOf, MeasureOf, Summary, SummaryOptions, SummaryRow } from './summary-api.ts';
import type { Target } from './target.ts';
import type { NoPromise, Operations, Settled, TransactionOptions } from './transaction-api.ts';

export type FindOptions<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = CallOptions & {
  /** All of these have to match. */
  readonly where?: WhereOf<Shelf, Name>;
};

export type AllOptions<
  Shelf extends ShelfTypes<Shelf>,
  Name extends keyof Shelf,
  Fields extends keyof RecordOf<Shelf, Name>,
  Path extends string,
> = FindOptions<Shelf, Name> & {
  /** Fields to sort by; `-` before a name sorts it descending. Ties are sorted by `id`. */
  readonly sort?: readonly (Shelf[Name]['sort'] | `-${Shelf[Name]['sort']}`)[];
  /** The fields of each record; all if absent. */
  readonly fields?: readonly Fields[];
  /** References whose records are added as `expanded`. */
  readonly expand?: readonly Path[];
};

export type ListOptions<
  Shelf extends ShelfTypes<Shelf>,
  Name extends keyof Shelf,
  Fields extends keyof RecordOf<Shelf, Name>,
  Path extends string,
  Count extends 'exact' | undefined,
> = AllOptions<Shelf, Name, Fields, Path> & {
  /** 1 to 1000 records; 100 if absent. */
  readonly limit?: number;
  /** `next_cursor` of the page before, with the same `where` and `sort`. */
  readonly cursor?: string;
  /** Adds `total`. */
  readonly count?: Count;
};

export type ChangesOptions = {
  /**
   * The position of an earlier loop, or `seq` of the last change that was seen; 0 for all that are retained. If absent, the first item is a `resync`, and the
   * changes from then on follow.
   */
  readonly after?: number | undefined;
  /**
   * Called with the number up to which the loop has handled every change, also while only other collections change. It is the `after` of the
   * next start: the `seq` of the last change may be trimmed by then.
   */
  readonly onPosition?: (seq: number) => void;
  /** Ends the loop with `aborted`. */
  readonly signal?: AbortSignal | undefined;
};

export type LiveOptions<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = {
  /** All of these have to match. Fields of the record itself: a path is refused. */
  readonly where?: OwnWhereOf<Shelf, Name>;
  /** Fields to sort by; `-` before a name sorts it descending. Ties are sorted by `id`. */
  readonly sort?: readonly (Shelf[Name]['sort'] | `-${Shelf[Name]['sort']}`)[];
  /** Ends it: a loop with `aborted`, a subscription without a call. */
  readonly signal?: AbortSignal;
};

/** A list that stays current. It is one array, which is changed in place: copy it to keep it. */
export interface LiveList<Record> {
  /** The whole list, in order, again after each change. It does not change before the next one is asked for. */
  [Symbol.asyncIterator](): AsyncGenerator<readonly Record[], void, undefined>;

  /**
   * Calls `onList` with the whole list, in order, again after each change. `onError` is called once, with a failure that no retry can fix; nothing follows. Without
   * it, such a failure is an unhandled rejection. The returned function ends the subscription.
   *
   * @example
   * let books: Book[] = [];
   * const end = shelf.books.live({ sort: ['title'] }).subscribe(
   *   (list) => { books = [...list]; },
   *   (error) => console.log(error.code),
   * );
   * end();
   */
  subscribe(onList: (list: readonly Record[]) => void, onError?: (error: ShelfError) => void): () => void;
}

/** The records of one collection. */
export interface CollectionClient<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> {
  /**
   * One page.
   *
   * @example
   * const page = await shelf.books.list({
   *   where: { price: { gte: '10' }, any: [{ state: 'published' }, { 'author.name': 'Borges' }] },
   *   sort: ['-price', 'title'],
   *   fields: ['id', 'title', 'author'],
   *   expand: ['author'],
   *   limit: 50,
   * });
   * for (const book of page.data) console.log(book.title, book.expanded.author?.name);
   * if (page.next_cursor !== null) console.log('there are more');
   */
  list<
    const Fields extends keyof RecordOf<Shelf, Name> = keyof RecordOf<Shelf, Name>,
    const Path extends ExpandOf<Shelf, Name> = never,
    const Count extends 'exact' | undefined = undefined,
  >(options?: ListOptions<Shelf, Name, Fields, Path, Count>): Promise<Page<Row<Shelf, Name, Fields, Path>, Count>>;

  /**
   * Every matching record, page by page: only one page is in memory.
   *
   * @example
   * for await (const book of shelf.books.all({ where: { author: 7 } })) console.log(book.title);
   */
  all<
    const Fields extends keyof RecordOf<Shelf, Name> = keyof RecordOf<Shelf, Name>,
    const Path extends ExpandOf<Shelf, Name> = never,
  >(options?: AllOptions<Shelf, Name, Fields, Path>): AsyncGenerator<Row<Shelf, Name, Fields, Path>, void, undefined>;

  /**
   * The number of matching records.
   *
   * @example
   * const published = await shelf.books.count({ where: { state: 'published' } });
   */
  count(options?: FindOptions<Shelf, Name>): Promise<number>;

  /**
   * The matching records in groups, with measures of each group, all of one moment. Sums and averages are exact: sums of integers are `bigint`, and sums of decimals and
   * averages are text, but those of doubles.
   *
   * @example
   * const { data } = await shelf.books.summary({
   *   group: ['state', 'published_on.year'],
   *   measures: ['count', 'price.sum', 'pages.avg'],
   *   where: { in_stock: true },
   *   having: { count: { gte: 2 } },
   *   sort: ['-price.sum'],
   *   limit: 10,
   * });
   * for (const row of data) console.log(row.state, row['published_on.year'], row.count, row['price.sum']);
   */
  summary<const Group extends GroupOf<Shelf, Name> = never, const Measure extends MeasureOf<Shelf, Name> = 'count'>(
    options?: SummaryOptions<Shelf, Name, Group, Measure>,
  ): Promise<Summary<SummaryRow<Shelf, Name, Group, Measure>>>;

  /**
   * One record. Rejects with `not_found`.
   *
   * @example
   * const book = await shelf.books.get(7, { expand: ['author.publisher'] });
   * console.log(book.title, book.expanded.author?.expanded.publisher?.name);
   */
  get<const Path extends ExpandOf<Shelf, Name> = never>(
    id: number,
    options?: CallOptions & { readonly expand?: readonly Path[] },
  ): Promise<Row<Shelf, Name, keyof RecordOf<Shelf, Name>, Path>>;

  /**
   * Adds a record, and returns it as it is stored. It is sent with an Idempotency-Key, so a retry does not add it twice.
   *
   * @example
   * const book = await shelf.books.create({ title: 'Dune', isbn: '9780441013593', price: '9.99', author: 7 });
   * console.log(book.id, book.version);
   */
  create(draft: DraftOf<Shelf, Name>, options?: CreateOptions): Promise<RecordOf<Shelf, Name>>;

  /**
   * Adds many records, in order and in batches. A batch is added as a whole or not at all. The source can be an array, an
   * iterable or an async iterable of any length: only one batch is in memory. If a batch fails, `bulk` of the failure says
   * how many records are in.
   *
   * @example
   * const { created } = await shelf.authors.createMany([{ name: 'Borges' }, { name: 'Woolf' }], {
   *   onProgress: ({ created }) => console.log(`${created} so far`),
   * });
   */
  createMany(
    source: Iterable<DraftOf<Shelf, Name>> | AsyncIterable<DraftOf<Shelf, Name>>,
    options?: CreateManyOptions,
  ): Promise<{ created: number }>;
  /**
   * With a key, a record that exists with the same values in these fields is updated: fields that are left out keep their values.
   *
   * @example
   * const prices = [{ isbn: '9780441013593', price: '7.99' }];
   * const { created, updated } = await shelf.books.createMany(prices, { key: ['isbn'] });
   */
  createMany<const Key extends KeyOf<Shelf, Name>>(
    source: Iterable<KeyedDraft<Shelf, Name, Key>> | AsyncIterable<KeyedDraft<Shelf, Name, Key>>,
    options: KeyedManyOptions<Key>,
  ): Promise<{ created: number; updated: number }>;

  /**
   * Changes some fields, and returns the record. With a record, it rejects with `precondition_failed` if that was changed
   * since. Not retried unless it certainly did not happen: a lost answer is `outcome_unknown`.
   *
   * @example
   * const book = await shelf.books.get(7);
   * const changed = await shelf.books.update(book, { in_stock: false });
   * await shelf.books.update(8, { in_stock: false }); // whatever its version
   */
  update(target: Target, patch: PatchOf<Shelf, Name>, options?: CallOptions): Promise<RecordOf<Shelf, Name>>;

  /**
   * Replaces every field: one that is left out gets its default, or null. Otherwise like `update`.
   *
   * @example
   * const author = await shelf.authors.get(7);
   * await shelf.authors.replace(author, { name: 'Jorge Luis Borges' });
   */
  replace(target: Target, draft: DraftOf<Shelf, Name>, options?: CallOptions): Promise<RecordOf<Shelf, Name>>;

  /**
   * Deletes a record. With a record, it rejects with `precondition_failed` if that was changed since. Retried like `update`.
   *
   * @example
   * await shelf.books.delete(7);
   */
  delete(target: Target, options?: CallOptions): Promise<void>;

  /**
   * The changes of this collection as they are committed. It does not end by itself: it connects again after every loss, and
   * continues without a gap and without a repetition. End it with `break` or a signal.
   *
   * @example
   * for await (const change of shelf.books.changes({ after: 0 })) {
   *   if (change.type === 'resync') console.log('read the list again');
   *   else console.log(change.type, change.record.title);
   * }
   */
  changes(options?: ChangesOptions): AsyncGenerator<Change<Shelf, Name> | Resync, void, undefined>;

  /**
   * The whole list of the matching records, in order, that stays current: it is read once, and every change is applied to it. It connects again after every
   * loss. Nothing is sent before the loop or the subscription begins.
   *
   * @example
   * for await (const books of shelf.books.live({ where: { state: 'published' }, sort: ['-price', 'title'] }))
   *   console.log(books.length, books[0]?.title);
   */
  live(options?: LiveOptions<Shelf, Name>): LiveList<RecordOf<Shelf, Name>>;
}

/** A collection under each of their names, transactions, and the changes of all. */
export type ShelfClient<Shelf extends ShelfTypes<Shelf>> = {
  readonly [Name in keyof Shelf]: CollectionClient<Shelf, Name>;
} & {
  /**
   * The changes of all collections, in the order of their commits. A key that is limited to some collections can only follow
   * one of them at a time.
   *
   * @example
   * for await (const change of shelf.changes()) {
   *   if (change.type === 'book.created') console.log(change.record.title);
   * }
   */
  changes(options?: ChangesOptions): AsyncGenerator<Change<Shelf, keyof Shelf> | Resync, void, undefined>;

  /**
   * Does several operations in one commit: all of them, or none. The function only collects the operations, so it is not async: read before the
   * transaction, and let its conditions say what must still hold. The result is what the function returned, with `id` and `version` in place of each record.
   * It is sent with an Idempotency-Key, so a retry does not commit it twice. A failure has the index of the operation as `operation`, and its `collection`.
   *
   * @example
   * const { author, changes } = await shelf.transaction((t) => {
   *   t.books.check({ state: 'draft' }, { count: { lt: 5 } });
   *   const author = t.authors.create({ name: 'Borges' });
   *   t.books.create({ title: 'Ficciones', isbn: '9780802130303', price: '9.99', author });
   *   return { author, changes: t.changes };
   * });
   * console.log(author.id, author.version, changes?.lastChange);
   */
  transaction<Result, const Return extends 'records' | undefined = undefined>(
    collect: (t: Operations<Shelf>) => Result & NoPromise<Result>,
    options?: TransactionOptions<Return>,
  ): Promise<Settled<Result, Return>>;
};
