/** Records: from memory, or from the file; on the searching thread, unless an index finds a short page. */
import type { Database } from 'bun:sqlite';
import type { Bytes } from '../../domain/bytes.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Stored } from '../../domain/record/record.ts';
import type { Soon } from '../../domain/soon.ts';
import type { Requester } from '../../domain/store/client.ts';
import type { Listing } from '../../domain/store/listing.ts';
import {
  type EncodedPage,
  type EncodedRecord,
  type Page,
  positionIn,
  type RecordPage,
} from '../../domain/store/page.ts';
import type { SummaryFormat } from '../../domain/summary/answer.ts';
import type { Summary } from '../../domain/summary/summary.ts';
import type { FieldValue } from '../../domain/types/type.ts';
import { directFilters, type Where } from '../../domain/where/where.ts';
import { bytesAtOnce } from '../bytes-at-once.ts';
import { contentTag } from '../content-tag.ts';
import type { EngineReads } from '../engine-reads.ts';
import { indexFields, wordsIndexTitle } from '../index-name.ts';
import { columnOf } from '../query-sql.ts';
import type { HotReads } from './hot-reads.ts';
import type { FileReads } from './reads/file-reads.ts';
import { byRecordId, countSearch, estimateSearch, keySearch, pageSearch, wholeSearch } from './search/plan.ts';
import { planOf, type Rows, type Search, searchAtOnce, valuesAtOnce } from './search/search.ts';
import type { Row, Value } from './search/slices.ts';
import { summarySearch } from './search/summary.ts';
import { PreparedStatements } from './statements/prepared-statements.ts';
import { type Columns, unbinder } from './statements/values.ts';
import type { Tables } from './tables.ts';

const encoder = new TextEncoder();

/** In one part of a stream. */
const recordsPerPart = 500;

/** More than a collection can have. */
const everyRecord = Number.MAX_SAFE_INTEGER - 1;

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
function idIn({ contract }: Collection, { where, after }: Page): bigint | undefined {
  const [filter] = directFilters(where);
  if (contract === undefined || where.length !== 1 || after !== undefined) return undefined;
  const [value] = filter?.values ?? [];
  return filter?.field === 'external_id' && filter.operator === 'eq' && typeof value === 'bigint' ? value : undefined;
}

export class SqliteReads implements EngineReads {
  readonly tagOf = contentTag;
  readonly #statements: PreparedStatements;

  constructor(
    db: Database,
    readonly tables: Tables,
    readonly file: FileReads,
    readonly hot: HotReads,
  ) {
    this.#statements = new PreparedStatements(db);
  }

  list(collection: Collection): Listing {
    return this.tables.of(collection).cache?.list() ?? this.file.list(collection);
  }

  contractRecord(collection: Collection, contractId: bigint): Soon<Bytes | undefined> {
    const table = this.tables.of(collection);
    const found = table.cache?.find(contractId);
    return found === 'missing' ? undefined : (found ?? this.hot.find(table, contractId));
  }

  one(collection: Collection, recordId: number): Soon<EncodedRecord | undefined> {
    const table = this.tables.of(collection);
    const found = table.cache?.record(recordId);
    return found === 'missing' ? undefined : (found ?? this.hot.record(table, recordId));
  }

  async some(collection: Collection, recordIds: readonly number[]): Promise<RecordPage> {
    const { reader } = this.tables.of(collection);
    return this.file.read(() => reader().some(recordIds));
  }

  page(collection: Collection, page: Page, requester?: Requester): Soon<EncodedPage> {
    return this.#pageInMemory(collection, page) ?? this.#pageInFile(collection, page, requester);
  }

  async records(collection: Collection, page: Page, requester?: Requester): Promise<RecordPage> {
    const found = await this.#rowsOf(pageSearch(collection, page, bytesAtOnce), page.limit, requester);
    return pageIn(collection, page, found);
  }

  stream(
    collection: Collection,
    wanted: Pick<Page, 'where' | 'sort'>,
    encode: (records: readonly Stored[]) => Bytes,
    requester: Requester,
  ): AsyncGenerator<Bytes, void> {
    const { file } = this;
    if (file.isInMemory) {
      const all = wholeSearch(collection, { ...wanted, after: undefined, limit: everyRecord });
      return file.inOneSearch(all, requester, function* (rows) {
        for (let at = 0; at === 0 || at < rows.length; at += recordsPerPart)
          yield encode(recordsIn(collection, rows.slice(at, at + recordsPerPart)));
      });
    }
    return file.inSnapshot(requester.client, async function* (snapshotAt) {
      for (let page: Page | undefined = { ...wanted, after: undefined, limit: recordsPerPart }; page !== undefined; ) {
        const search = pageSearch(collection, page, bytesAtOnce);
        const found = await file.search(search, requester, snapshotAt(page.after === undefined));
        const { records, more } = pageIn(collection, page, found);
        yield encode(records);
        const last = more ? records.at(-1) : undefined;
        page = last && { ...page, after: positionIn(page, last) };
      }
    });
  }

  async explain(collection: Collection, page: Page): Promise<readonly (readonly string[])[]> {
    const search = pageSearch(collection, page, bytesAtOnce);
    if (search.walk?.words !== undefined) return search.walk.words.map((field) => [wordsIndexTitle(field)]);
    const lines = await this.file.read(() => planOf(this.#statements.db, search));
    return lines.flatMap((line) => {
      const [, index = ''] = / USING (?:COVERING )?INDEX (.*?)(?: \(|$)/.exec(line) ?? [];
      const fields = / USING INTEGER PRIMARY KEY \(/.test(line) ? ['id'] : indexFields(collection, index);
      return fields === undefined ? [] : [fields];
    });
  }

  async total(collection: Collection, where: Where, requester?: Requester): Promise<number> {
    const { rows } = await this.file.search(countSearch(collection, where), requester);
    return Number(rows[0]?.[0] ?? 0);
  }

  async summary(
    collection: Collection,
    wanted: Summary,
    format: SummaryFormat,
    requester?: Requester,
  ): Promise<string> {
    const { text } = await this.file.summary(summarySearch(collection, wanted, format), requester);
    return text;
  }

  async count(collection: Collection): Promise<number> {
    return this.tables.of(collection).cache?.count ?? this.total(collection, []);
  }

  async estimate(collection: Collection): Promise<number> {
    const { count } = this.tables.of(collection).cache ?? {};
    if (count !== undefined) return count;
    const { rows } = await this.file.search(estimateSearch(collection));
    return Number(rows[0]?.[0] ?? 0);
  }

  close(): void {
    this.#statements.close();
  }

  async #pageInFile(collection: Collection, page: Page, requester: Requester | undefined): Promise<EncodedPage> {
    const { records, more } = await this.records(collection, page, requester);
    const bytes = encoder.encode(records.map(collection.record.encode).join(','));
    const last = records.at(-1);
    return { bytes, last: last === undefined ? { recordId: 0, values: [] } : positionIn(page, last), more };
  }

  /** The page, if its records are in the cache and SQLite finds their record ids at once. */
  #pageInMemory(collection: Collection, page: Page): EncodedPage | undefined {
    const { cache } = this.tables.of(collection);
    if (cache === undefined) return undefined;
    const { where, sort, after, limit } = page;
    const [first = byRecordId] = sort;
    if (where.length === 0 && first.field === 'id') {
      const from = after?.recordId ?? (first.descending ? Number.POSITIVE_INFINITY : 0);
      const found = cache.recordsFrom(from, first.descending, limit, bytesAtOnce);
      if (found === undefined) return undefined;
      const { bytes, lastRecordId: recordId, more } = found;
      return { bytes, last: { recordId, values: sort.map(() => recordId) }, more };
    }
    const contractId = idIn(collection, page);
    const same = contractId === undefined ? undefined : cache.recordsWith(contractId, bytesAtOnce);
    if (same !== undefined) return { bytes: same.bytes, last: { recordId: 0, values: [] }, more: false };
    const search = keySearch(collection, page);
    if (search === undefined || limit > shortPage) return undefined;
    const found = this.file.readWithMemory(
      () => valuesAtOnce(this.#statements, search),
      (rows, lastChange) => {
        const recordIds = rows.slice(0, limit).map(([recordId]) => Number(recordId));
        const encoded = cache.recordsOf(recordIds, bytesAtOnce, lastChange);
        return encoded && { rows, ...encoded };
      },
    );
    if (found === undefined) return undefined;
    const { rows, bytes, count, more } = found;
    if (count < Math.min(rows.length, limit) && !more) return undefined;
    const [recordId, ...values] = rows[count - 1] ?? [0];
    const last = {
      recordId: Number(recordId),
      values: sort.map(({ field }, index) => unbound(collection, field, values[index])),
    };
    return { bytes, last, more: more || rows.length > limit };
  }

  #rowsOf(search: Search, limit: number, requester?: Requester): Soon<Rows> {
    if (search.walk !== undefined || limit > shortPage) return this.file.search(search, requester);
    requester?.signal?.throwIfAborted();
    return this.file.read(() => searchAtOnce(this.#statements, search));
  }
}

function pageIn(collection: Collection, { limit }: Page, { rows, more }: Rows): RecordPage {
  return { records: recordsIn(collection, rows.slice(0, limit)), more: more || rows.length > limit };
}

function recordsIn(collection: Collection, rows: readonly Row[]): Stored[] {
  const keys = Object.keys(collection.fields);
  const unbind = unbinder(collection.fields);
  return rows.map(([recordId, version, createdAt, updatedAt, ...values]) => ({
    recordId: Number(recordId),
    version: Number(version),
    createdAt: String(createdAt),
    updatedAt: String(updatedAt),
    row: unbind(named(keys, values)),
  }));
}
