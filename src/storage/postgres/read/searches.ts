/** Reads pages and totals of filtered collections. */
import type { Filter, Position } from '../../../domain/query.ts';
import { type Stored, valuesOf } from '../../../domain/record.ts';
import type { EncodedPage, Page, Paged } from '../../../domain/store.ts';
import { bytesAtOnce } from '../../bytes-at-once.ts';
import { condition, orderBy } from '../../filter.ts';
import { hasMore, type Table } from '../statements/collection.ts';
import type { Columns } from '../statements/columns.ts';
import { dialect } from '../statements/tables.ts';
import type { Query } from './reads.ts';

/** A page of at most this many records is read at once, however large they are. */
const few = 3;
const anySize = 2 ** 31 - 1;
/** In a page of at most this many records each may have its share of the bytes; in a longer one all are summed first. */
const short = 100;

const encoder = new TextEncoder();

/** `more`: there are records after these rows. */
type Rows = { readonly rows: readonly Columns[]; readonly more: boolean };

export class Searches {
  constructor(readonly query: Query) {}

  async page(table: Table, page: Page): Promise<Paged> {
    const { rows, more } = await this.#rows(table, page);
    return { records: rows.map((row) => recordOf(table, row)), more };
  }

  async encodedPage(table: Table, page: Page): Promise<EncodedPage> {
    const { rows, more } = await this.#rows(table, page);
    const bytes = encoder.encode(table.pageText(rows));
    return { bytes, last: lastPosition(table, page, rows.at(-1)), more };
  }

  async #rows(table: Table, { filters, sort, after, limit }: Page): Promise<Rows> {
    const { collection, chosenUpTo, chosenIfSmall, chosenThatFit } = table;
    const { where, parameters } = condition(dialect, collection, filters, sort, after);
    const order = orderBy(collection, sort);
    // The driver prepares a statement only if it has a parameter; without one it is planned anew for each page.
    const bound = `$${parameters.length + 1}::bigint`;
    const read = (statement: typeof chosenUpTo, bytes: number) =>
      this.query(statement(where, order, limit + 1, bound), [...parameters, bytes]);
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

  async some(table: Table, seqs: readonly number[]): Promise<Paged> {
    const rows = await this.query(table.some, [`{${seqs.join()}}`]);
    return { records: rows.map((row) => recordOf(table, row)), more: Number(rows[0]?.at(-1) ?? 0) > rows.length };
  }

  async total({ collection, total }: Table, filters: readonly Filter[]): Promise<number> {
    const { where, parameters } = condition(dialect, collection, filters, []);
    const [row] = await this.query(`${total} ${where}`, parameters);
    return Number(row?.[0] ?? 0);
  }
}

function recordOf({ decode }: Table, [seq, ...row]: Columns): Stored {
  return decode(Number(seq), row);
}

function lastPosition(table: Table, { sort }: Page, row: Columns | undefined): Position {
  if (row === undefined || sort.length === 0) return { seq: Number(row?.[0] ?? 0), values: [] };
  const record = recordOf(table, row);
  const values = valuesOf(record);
  return { seq: record.seq, values: sort.map(({ field }) => values[field] ?? null) };
}
