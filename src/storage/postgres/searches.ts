/** Reads pages and totals of filtered collections. */
import type { Filter } from '../../domain/query.ts';
import type { Stored } from '../../domain/record.ts';
import type { Page, Paged } from '../../domain/store.ts';
import { condition, orderBy } from '../filter.ts';
import type { Query } from './reads.ts';
import { dialect } from './sql.ts';
import { type Columns, hasMore, type Table } from './table.ts';

/** A page of at most this many records is read at once, however large they are. */
const few = 3;

function recordsOf({ decode }: Table, rows: readonly Columns[], limit: number): Stored[] {
  return rows.slice(0, limit).map(([seq, ...row]) => decode(Number(seq), row));
}

export class Searches {
  constructor(readonly query: Query) {}

  async page(table: Table, { filters, sort, after, limit }: Page): Promise<Paged> {
    const { collection, chosen, chosenIfSmall, chosenThatFit } = table;
    const { where, parameters } = condition(dialect, collection, filters, sort, after);
    const order = orderBy(collection, sort);
    const read = (statement: string) => this.query(statement, parameters);
    const paged = (rows: readonly Columns[], more: boolean) => ({ records: recordsOf(table, rows, limit), more });
    const rows = await read((limit > few ? chosenIfSmall : chosen)(where, order, limit + 1));
    if (rows.length > 0 || limit <= few) return paged(rows, rows.length > limit);
    // There are no such records, or they are large. The statement that measures them costs twice as much, so it comes second.
    const fitting = await read(chosenThatFit(where, order, limit + 1));
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
