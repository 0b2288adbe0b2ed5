/** Pages, totals and changes: on the searching thread, unless an index finds a short page. */
import type { Database } from 'bun:sqlite';
import type { Collection } from '../../domain/collection.ts';
import type { Gap, History } from '../../domain/history.ts';
import type { Filter } from '../../domain/query.ts';
import type { Soon } from '../../domain/soon.ts';
import type { Changes, EncodedPage, Page, Paged, Requester } from '../../domain/store.ts';
import type { FieldValue } from '../../domain/types/type.ts';
import { bytesAtOnce } from '../bytes-at-once.ts';
import { columnOf } from '../filter.ts';
import { changesOf, reached } from '../rows/change.ts';
import type { Cache } from './cache/cache.ts';
import { gapsIn, settingIn } from './file/epoch.ts';
import { KeptStatements } from './kept-statements.ts';
import type { FileReads } from './reads/file-reads.ts';
import {
  bySeq,
  changesSearch,
  countSearch,
  estimateSearch,
  keySearch,
  lastChangeSearch,
  pageSearch,
} from './search/plan.ts';
import { type Rows, type Search, searchAtOnce, type Value, valuesAtOnce } from './search/search.ts';
import { type Columns, unbinder } from './values.ts';

/**
 * A page of at most this many records is read on the serving thread if SQLite reads no others for it: the way to the
 * searching thread and back takes longer than the read. A longer one is a part of an export, and would delay others.
 */
const shortPage = 100;

/** A row by its columns. */
function named(keys: readonly string[], values: readonly Value[]): Columns {
  const row: Columns = {};
  for (let index = 0; index < keys.length; index++) row[keys[index] ?? ''] = values[index] ?? null;
  return row;
}

/** The value of a column in memory. */
function unbound(collection: Collection, field: string, value: Value = null): FieldValue {
  return value === null ? null : columnOf(collection, field).field.sqlite.unbind(value);
}

/** The id of the contract, if the first page of the records with it is wanted. */
function idIn({ contract }: Collection, { filters, after }: Page): bigint | undefined {
  const [filter] = filters;
  if (contract === undefined || filters.length !== 1 || after !== undefined) return undefined;
  const [value] = filter?.values ?? [];
  return filter?.field === 'external_id' && filter.operator === 'eq' && typeof value === 'bigint' ? value : undefined;
}

export class Searches {
  /** Read once: only a start can add a gap. */
  readonly #gaps: readonly Gap[];
  readonly #statements: KeptStatements;

  constructor(
    readonly db: Database,
    readonly collections: readonly Collection[],
    readonly file: FileReads,
  ) {
    this.#gaps = gapsIn(db);
    this.#statements = new KeptStatements(db);
  }

  close(): void {
    this.#statements.close();
  }

  async page(collection: Collection, page: Page, asker?: Requester): Promise<Paged> {
    const { limit } = page;
    const { rows, more } = await this.#rowsOf(pageSearch(collection, page, bytesAtOnce), limit, asker);
    const keys = Object.keys(collection.fields);
    const unbind = unbinder(collection.fields);
    const records = rows.slice(0, limit).map(([seq, version, createdAt, updatedAt, ...values]) => ({
      seq: Number(seq),
      version: Number(version),
      createdAt: String(createdAt),
      updatedAt: String(updatedAt),
      row: unbind(named(keys, values)),
    }));
    return { records, more: more || rows.length > limit };
  }

  /** The page, if its records are in the cache and SQLite finds their seqs at once. */
  pageFrom(cache: Cache | undefined, collection: Collection, page: Page): EncodedPage | undefined {
    if (cache === undefined) return undefined;
    const { filters, sort, after, limit } = page;
    const [first = bySeq] = sort;
    if (filters.length === 0 && first.field === 'id') {
      const from = after?.seq ?? (first.descending ? Number.POSITIVE_INFINITY : 0);
      const found = cache.recordsFrom(from, first.descending, limit, bytesAtOnce);
      if (found === undefined) return undefined;
      const { bytes, lastSeq: seq, more } = found;
      return { bytes, last: { seq, values: sort.map(() => seq) }, more };
    }
    const id = idIn(collection, page);
    const same = id === undefined ? undefined : cache.recordsWith(id, bytesAtOnce);
    if (same !== undefined) return { bytes: same.bytes, last: { seq: 0, values: [] }, more: false };
    const search = keySearch(collection, page);
    if (search === undefined || limit > shortPage) return undefined;
    const found = this.file.readWithMemory(
      () => valuesAtOnce(this.#statements, search),
      (rows, lastChange) => {
        const seqs = rows.slice(0, limit).map(([seq]) => Number(seq));
        const encoded = cache.recordsOf(seqs, bytesAtOnce, lastChange);
        return encoded && { rows, ...encoded };
      },
    );
    if (found === undefined) return undefined;
    const { rows, bytes, count, more } = found;
    if (count < Math.min(rows.length, limit) && !more) return undefined;
    const [seq, ...values] = rows[count - 1] ?? [0];
    const last = {
      seq: Number(seq),
      values: sort.map(({ field }, index) => unbound(collection, field, values[index])),
    };
    return { bytes, last, more: more || rows.length > limit };
  }

  #rowsOf(search: Search, limit: number, asker?: Requester): Soon<Rows> {
    if (search.walk !== undefined || limit > shortPage) return this.file.search(search, asker);
    asker?.signal?.throwIfAborted();
    return this.file.read(() => searchAtOnce(this.#statements, search));
  }

  async total(collection: Collection, filters: readonly Filter[], asker?: Requester): Promise<number> {
    const { rows } = await this.file.search(countSearch(collection, filters), asker);
    return Number(rows[0]?.[0] ?? 0);
  }

  /** Exact if they are few. */
  async estimate(collection: Collection): Promise<number> {
    const { rows } = await this.file.search(estimateSearch(collection));
    return Number(rows[0]?.[0] ?? 0);
  }

  async changes(
    after: number,
    limit: number,
    of?: Collection,
    bytes = bytesAtOnce,
    asker?: Requester,
  ): Promise<Changes> {
    // Changes of a collection that is no longer declared cannot be encoded.
    const names = (of === undefined ? this.collections : [of]).map(({ name }) => name);
    const search = changesSearch(names, of !== undefined, after, limit + 1, bytes);
    const found = await this.file.search(search, asker);
    const history = this.#history(found.lastChange);
    const changes = changesOf(this.collections, found.rows.slice(0, limit));
    const more = found.more || found.rows.length > limit;
    return { changes, more, history, to: reached(changes, more, history) };
  }

  async history(): Promise<History> {
    const { lastChange } = await this.file.search(lastChangeSearch);
    return this.#history(lastChange);
  }

  /** Call after the changes are read: then a change that is trimmed meanwhile is never missing without being reported. */
  #history(last: number): History {
    return { last, trimmed: Number(settingIn(this.db, 'trimmed') ?? 0), gaps: this.#gaps };
  }
}
