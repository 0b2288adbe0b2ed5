/** Records: every read goes to the database. */
import type { Bytes } from '../../../domain/bytes.ts';
import type { Position } from '../../../domain/input/query.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import type { Stored } from '../../../domain/record/record.ts';
import type { Listing } from '../../../domain/store/listing.ts';
import {
  type EncodedPage,
  type EncodedRecord,
  type Page,
  positionIn,
  type RecordPage,
} from '../../../domain/store/page.ts';
import type { Reads } from '../../../domain/store/reads.ts';
import type { Where } from '../../../domain/where/where.ts';
import { bytesAtOnce } from '../../bytes-at-once.ts';
import { contentTag } from '../../content-tag.ts';
import { condition, orderBy } from '../../query-sql.ts';
import type { Columns } from '../statements/columns.ts';
import { hasMore, type Table } from '../statements/table.ts';
import { dialect } from '../statements/table-sql.ts';
import type { Lists } from './lists.ts';
import type { Queries } from './queries.ts';

/** A page of at most this many records is read at once, however large they are. */
const few = 3;
const anySize = 2 ** 31 - 1;
/** In a page of at most this many records each may have its share of the bytes; in a longer one all are summed first. */
const short = 100;

const encoder = new TextEncoder();

/** `more`: there are records after these rows. */
type Rows = { readonly rows: readonly Columns[]; readonly more: boolean };

export class PostgresReads implements Reads {
  readonly tagOf = contentTag;

  constructor(
    readonly queries: Queries,
    readonly lists: Lists,
    readonly tableOf: (collection: Collection) => Table,
  ) {}

  list(collection: Collection): Promise<Listing> {
    return this.lists.list(this.tableOf(collection));
  }

  async contractRecord(collection: Collection, contractId: bigint): Promise<Bytes | undefined> {
    const { find, encode } = this.tableOf(collection);
    const [row] = await this.queries.query(find, [String(contractId)]);
    return row === undefined ? undefined : encoder.encode(encode(row));
  }

  async one(collection: Collection, recordId: number): Promise<EncodedRecord | undefined> {
    const { get, decode } = this.tableOf(collection);
    const [row] = await this.queries.query(get, [recordId]);
    if (row === undefined) return undefined;
    const record = decode(recordId, row);
    return { bytes: encoder.encode(collection.record.encode(record)), version: record.version };
  }

  async some(collection: Collection, recordIds: readonly number[]): Promise<RecordPage> {
    const table = this.tableOf(collection);
    const rows = await this.queries.query(table.some, [`{${recordIds.join()}}`]);
    return { records: rows.map((row) => recordOf(table, row)), more: Number(rows[0]?.at(-1) ?? 0) > rows.length };
  }

  async page(collection: Collection, page: Page): Promise<EncodedPage> {
    const table = this.tableOf(collection);
    const { rows, more } = await this.#rows(table, page);
    const bytes = encoder.encode(table.pageText(rows));
    return { bytes, last: lastPosition(table, page, rows.at(-1)), more };
  }

  async records(collection: Collection, page: Page): Promise<RecordPage> {
    const table = this.tableOf(collection);
    const { rows, more } = await this.#rows(table, page);
    return { records: rows.map((row) => recordOf(table, row)), more };
  }

  async total(collection: Collection, where: Where): Promise<number> {
    const { sql, parameters } = condition(dialect, collection, where, []);
    const [row] = await this.queries.query(`${this.tableOf(collection).total} ${sql}`, parameters);
    return Number(row?.[0] ?? 0);
  }

  count(collection: Collection): Promise<number> {
    return this.#number(this.tableOf(collection).count);
  }

  estimate(collection: Collection): Promise<number> {
    return this.#number(this.tableOf(collection).estimate);
  }

  async #number(statement: string): Promise<number> {
    const [row] = await this.queries.ask((sql) => sql.unsafe(statement).values());
    return Number(row?.[0] ?? 0);
  }

  async #rows(table: Table, { where, sort, after, limit }: Page): Promise<Rows> {
    const { collection, chosenUpTo, chosenIfSmall, chosenThatFit } = table;
    const { sql, parameters } = condition(dialect, collection, where, sort, after);
    const order = orderBy(collection, sort);
    // The driver prepares a statement only if it has a parameter; without one it is planned anew for each page.
    const bound = `$${parameters.length + 1}::bigint`;
    const read = (statement: typeof chosenUpTo, bytes: number) =>
      this.queries.query(statement(sql, order, limit + 1, bound), [...parameters, bytes]);
    const upTo = (rows: readonly Columns[], more: boolean) => ({ rows: rows.slice(0, limit), more });
    if (limit <= short) {
      const rows = await read(chosenUpTo, limit <= few ? anySize : Math.floor(bytesAtOnce / (limit + 1)));
      if (!rows.some((row) => row[table.versionAt] === null)) return upTo(rows, rows.length > limit);
    } else {
      const rows = await read(chosenIfSmall, bytesAtOnce);
      if (rows.length > 0) return upTo(rows, rows.length > limit);
    }
    // Records are large. The statement that measures them costs twice as much, so it comes second.
    const fitting = await read(chosenThatFit, bytesAtOnce);
    return upTo(fitting, hasMore(fitting, limit));
  }
}

function recordOf({ decode }: Table, [recordId, ...row]: Columns): Stored {
  return decode(Number(recordId), row);
}

function lastPosition(table: Table, page: Page, row: Columns | undefined): Position {
  if (row === undefined || page.sort.length === 0) return { recordId: Number(row?.[0] ?? 0), values: [] };
  return positionIn(page, recordOf(table, row));
}
