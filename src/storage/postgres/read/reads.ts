/** Records: every read goes to the database. */
import type { Bytes } from '../../../domain/bytes.ts';
import type { Position } from '../../../domain/input/query.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import type { Stored } from '../../../domain/record/record.ts';
import { identifier } from '../../../domain/sql-text.ts';
import type { Requester } from '../../../domain/store/client.ts';
import type { Listing } from '../../../domain/store/listing.ts';
import {
  type EncodedPage,
  type EncodedRecord,
  type Page,
  positionIn,
  type RecordPage,
} from '../../../domain/store/page.ts';
import { answerOf, type SummaryFormat } from '../../../domain/summary/answer.ts';
import { fieldsOf } from '../../../domain/summary/columns.ts';
import type { Summary } from '../../../domain/summary/summary.ts';
import type { Trace } from '../../../domain/trace.ts';
import { filtersIn, type Where } from '../../../domain/where/where.ts';
import { bytesAtOnce } from '../../bytes-at-once.ts';
import { contentTag } from '../../content-tag.ts';
import type { EngineReads } from '../../engine-reads.ts';
import { indexFields } from '../../index-name.ts';
import { condition, orderBy } from '../../query-sql.ts';
import type { Columns } from '../statements/columns.ts';
import { hasMore, type Table } from '../statements/table.ts';
import { dialect } from '../statements/table-sql.ts';
import type { Lists } from './lists.ts';
import type { Queries } from './queries.ts';
import { groupsIn, summaryStatement } from './summary.ts';

/** A page of at most this many records is read at once, however large they are. */
const few = 3;
const anySize = 2 ** 31 - 1;
/** In a page of at most this many records each may have its share of the bytes; in a longer one all are summed first. */
const short = 100;

/** In one part of a stream. */
const recordsPerPart = 500;

const encoder = new TextEncoder();

/** `more`: there are records after these rows. */
type Rows = { readonly rows: readonly Columns[]; readonly more: boolean };

export class PostgresReads implements EngineReads {
  readonly tagOf = contentTag;

  constructor(
    readonly queries: Queries,
    readonly lists: Lists,
    readonly tableOf: (collection: Collection) => Table,
  ) {}

  list(collection: Collection, requester?: Requester): Promise<Listing> {
    return this.lists.list(this.tableOf(collection), requester?.trace);
  }

  async contractRecord(collection: Collection, contractId: bigint, requester?: Requester): Promise<Bytes | undefined> {
    const { find, encode } = this.tableOf(collection);
    const [row] = await this.queries.query(find, [String(contractId)], requester?.trace);
    return row === undefined ? undefined : encoder.encode(encode(row));
  }

  async one(collection: Collection, recordId: number, requester?: Requester): Promise<EncodedRecord | undefined> {
    const { get, decode } = this.tableOf(collection);
    const [row] = await this.queries.query(get, [recordId], requester?.trace);
    if (row === undefined) return undefined;
    const record = decode(recordId, row);
    return { bytes: encoder.encode(collection.record.encode(record)), version: record.version };
  }

  async some(collection: Collection, recordIds: readonly number[], requester?: Requester): Promise<RecordPage> {
    const table = this.tableOf(collection);
    const rows = await this.queries.query(table.some, [`{${recordIds.join()}}`], requester?.trace);
    return { records: rows.map((row) => recordOf(table, row)), more: Number(rows[0]?.at(-1) ?? 0) > rows.length };
  }

  async page(collection: Collection, page: Page, requester?: Requester): Promise<EncodedPage> {
    const table = this.tableOf(collection);
    const { rows, more } = await this.#rows(table, page, requester?.trace);
    const bytes = encoder.encode(table.pageText(rows));
    return { bytes, last: lastPosition(table, page, rows.at(-1)), more };
  }

  async records(collection: Collection, page: Page, requester?: Requester): Promise<RecordPage> {
    const table = this.tableOf(collection);
    const { rows, more } = await this.#rows(table, page, requester?.trace);
    return { records: rows.map((row) => recordOf(table, row)), more };
  }

  stream(
    collection: Collection,
    { where, sort }: Pick<Page, 'where' | 'sort'>,
    encode: (records: readonly Stored[]) => Bytes,
    { client }: Requester,
  ): AsyncGenerator<Bytes, void> {
    const table = this.tableOf(collection);
    const order = orderBy(collection, sort);
    const statement = (after: Position | undefined) => {
      const { sql, parameters } = condition(dialect, collection, where, sort, after);
      const bound = `$${parameters.length + 1}::bigint`;
      return {
        text: table.chosenThatFit(rowsOf(collection, where, sql), order, recordsPerPart + 1, bound),
        parameters: [...parameters, bytesAtOnce],
      };
    };
    const upTo = (rows: readonly Columns[]) => rows.slice(0, recordsPerPart);
    return this.lists.stream(
      client,
      statement(undefined),
      (rows) => {
        const last = hasMore(rows, recordsPerPart) ? upTo(rows).at(-1) : undefined;
        return last && statement(positionIn({ sort }, recordOf(table, last)));
      },
      (rows) => encode(upTo(rows).map((row) => recordOf(table, row))),
    );
  }

  async explain(collection: Collection, { where, sort, after, limit }: Page): Promise<readonly (readonly string[])[]> {
    const { sql, parameters } = condition(dialect, collection, where, sort, after);
    const order = orderBy(collection, sort);
    const rows = rowsOf(collection, where, sql);
    const statement = this.tableOf(collection).chosenUpTo(rows, order, limit + 1, `$${parameters.length + 1}::bigint`);
    const [row] = await this.queries.query(`explain (format json) ${statement}`, [...parameters, bytesAtOnce]);
    const plan = typeof row?.[0] === 'string' ? (JSON.parse(row[0]) as unknown) : row?.[0];
    return nodesIn(plan).flatMap((node) => {
      const fields = indexFields(collection, String(node['Index Name']));
      // Without a condition it only has the order of the records, and each of them is read.
      return fields === undefined || (fields[0] === 'id' && node['Index Cond'] === undefined) ? [] : [fields];
    });
  }

  async total(collection: Collection, where: Where, requester?: Requester): Promise<number> {
    const { sql, parameters } = condition(dialect, collection, where, []);
    const [row] = await this.queries.query(`${this.tableOf(collection).total} ${sql}`, parameters, requester?.trace);
    return Number(row?.[0] ?? 0);
  }

  async summary(
    collection: Collection,
    wanted: Summary,
    format: SummaryFormat,
    requester?: Requester,
  ): Promise<string> {
    const { text, parameters } = summaryStatement(collection, wanted);
    const rows = await this.queries.queryInTurn(text, parameters, requester);
    const answer = answerOf(groupsIn(rows, collection, wanted), { ...wanted, format }, fieldsOf(collection));
    for (;;) {
      const { done, value } = answer.next();
      if (done) return value;
      // Other requests get a turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
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

  async #rows(table: Table, { where, sort, after, limit }: Page, trace: Trace | undefined): Promise<Rows> {
    const { collection, chosenUpTo, chosenIfSmall, chosenThatFit } = table;
    const { sql, parameters } = condition(dialect, collection, where, sort, after);
    const [from, order] = [rowsOf(collection, where, sql), orderBy(collection, sort)];
    // The driver prepares a statement only if it has a parameter; without one it is planned anew for each page.
    const bound = `$${parameters.length + 1}::bigint`;
    const read = (statement: typeof chosenUpTo, bytes: number) =>
      this.queries.query(statement(from, order, limit + 1, bound), [...parameters, bytes], trace);
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

/** The rows that match. PostgreSQL would rather read all records in their order than find those with rare words by the index of words, but not from a subquery. */
function rowsOf({ name }: Collection, where: Where, sql: string): string {
  const table = identifier(name);
  const isByWords = filtersIn(where).some(({ operator }) => operator === 'words');
  return isByWords ? `(select * from ${table} ${sql} offset 0) as ${table}` : `${table} ${sql}`;
}

/** The objects in a plan, however deep. */
function nodesIn(plan: unknown): Readonly<Record<string, unknown>>[] {
  if (typeof plan !== 'object' || plan === null) return [];
  const inner = Object.values(plan).flatMap(nodesIn);
  return Array.isArray(plan) ? inner : [plan as Readonly<Record<string, unknown>>, ...inner];
}

function recordOf({ decode }: Table, [recordId, ...row]: Columns): Stored {
  return decode(Number(recordId), row);
}

function lastPosition(table: Table, page: Page, row: Columns | undefined): Position {
  if (row === undefined || page.sort.length === 0) return { recordId: Number(row?.[0] ?? 0), values: [] };
  return positionIn(page, recordOf(table, row));
}
