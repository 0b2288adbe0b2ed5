/** Reads pages and totals of filtered collections. */
import type { Filter } from '../../domain/query.ts';
import type { Stored } from '../../domain/record.ts';
import type { Page, Paged } from '../../domain/store.ts';
import { bytesAtOnce } from '../bounds.ts';
import { condition, orderBy } from '../filter.ts';
import type { Query } from './reads.ts';
import { dialect } from './sql.ts';
import { type Columns, hasMore, type Table } from './table.ts';

/** A page of at most this many records is read at once, however large they are. */
const few = 3;
const anySize = 2 ** 31 - 1;
/** In a page of at most this many records each may have its share of the bytes; in a longer one all are summed first. */
const short = 100;

function recordsOf({ decode }: Table, rows: readonly Columns[], limit: number): Stored[] {
  return rows.slice(0, limit).map(([seq, ...row]) => decode(Number(seq), row));
}

export class Searches {
  constructor(readonly query: Query) {}

  async page(table: Table, { filters, sort, after, limit }: Page): Promise<Paged> {
    const { collection, chosenUpTo, chosenIfSmall, chosenThatFit } = table;
    const { where, parameters } = condition(dialect, collection, filters, sort, after);
    const order = orderBy(collection, sort);
    // The driver prepares a statement only if it has a parameter; without one it is planned anew for each page.
    const bound = `$${parameters.length + 1}::bigint`;
    const read = (statement: typeof chosenUpTo, bytes: number) =>
      this.query(statement(where, order, limit + 1, bound), [...parameters, bytes]);
    const paged = (rows: readonly Columns[], more: boolean) => ({ records: recordsOf(table, rows, limit), more });
    if (limit <= short) {
      const rows = await read(chosenUpTo, limit <= few ? anySize : Math.floor(bytesAtOnce / (limit + 1)));
      if (!rows.some((row) => row.at(-1) === true)) return paged(rows, rows.length > limit);
    } else {
      const rows = await read(chosenIfSmall, bytesAtOnce);
      if (rows.length > 0) return paged(rows, rows.length > limit);
    }
    // Records are large. The statement that measures them costs twice as much, so it comes second.
    const fitting = await read(chosenThatFit, bytesAtOnce);
    return paged(fitting, hasMore(fitting, limit));
  }

  async some({ some, decode }: Table, seqs: readonly number[]): Promise<Paged> {
    const rows = await this.query(some, [`{${seqs.join()}}`]);
    const records = rows.map(([seq, ...row]) => decode(Number(seq), row));
    return { records, more: Number(rows[0]?.at(-1) ?? 0) > rows.length };
  }

  async total({ collection, total }: Table, filters: readonly Filter[]): Promise<number> {
    const { where, parameters } = condition(dialect, collection, filters, []);
    const [row] = await this.query(`${total} ${where}`, parameters);
    return Number(row?.[0] ?? 0);
  }
}
