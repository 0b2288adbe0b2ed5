/** Reads pages and totals of filtered collections. */
import type { Filter } from '../../domain/query.ts';
import type { Page, Paged } from '../../domain/store.ts';
import { condition, orderBy } from '../filter.ts';
import type { Ask } from './reads.ts';
import { type Columns, hasMore, type Table } from './table.ts';

export class Searches {
  constructor(readonly ask: Ask) {}

  async page({ chosen, dialect, decode }: Table, { filters, sort, after, limit }: Page): Promise<Paged> {
    const { where, parameters } = condition(dialect, filters, sort, after);
    const statement = chosen(where, orderBy(sort), limit + 1);
    const rows: Columns[] = await this.ask((sql) => sql.unsafe(statement, parameters.map(String)).values());
    const records = rows.slice(0, limit).map(([seq, ...row]) => decode(Number(seq), row));
    return { records, more: hasMore(rows, limit) };
  }

  async total({ total, dialect }: Table, filters: readonly Filter[]): Promise<number> {
    const { where, parameters } = condition(dialect, filters, []);
    const [row] = await this.ask((sql) => sql.unsafe(`${total} ${where}`, parameters.map(String)).values());
    return Number(row?.[0] ?? 0);
  }
}
