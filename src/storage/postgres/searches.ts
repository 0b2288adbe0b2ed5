/** Reads pages and totals of filtered collections. */
import type { Filter } from '../../domain/query.ts';
import type { Page, Paged } from '../../domain/store.ts';
import { condition, orderBy } from '../filter.ts';
import type { Ask } from './reads.ts';
import { dialect } from './sql.ts';
import { type Columns, hasMore, type Table } from './table.ts';

export class Searches {
  constructor(readonly ask: Ask) {}

  async page({ collection, chosen, decode }: Table, { filters, sort, after, limit }: Page): Promise<Paged> {
    const { where, parameters } = condition(dialect, collection, filters, sort, after);
    const statement = chosen(where, orderBy(collection, sort), limit + 1);
    const rows: Columns[] = await this.ask((sql) => sql.unsafe(statement, [...parameters]).values());
    const records = rows.slice(0, limit).map(([seq, ...row]) => decode(Number(seq), row));
    return { records, more: hasMore(rows, limit) };
  }

  async some({ some, decode }: Table, seqs: readonly number[]): Promise<Paged> {
    const rows: Columns[] = await this.ask((sql) => sql.unsafe(some, [`{${seqs.join()}}`]).values());
    const records = rows.map(([seq, ...row]) => decode(Number(seq), row));
    return { records, more: Number(rows[0]?.at(-1) ?? 0) > rows.length };
  }

  async total({ collection, total }: Table, filters: readonly Filter[]): Promise<number> {
    const { where, parameters } = condition(dialect, collection, filters, []);
    const [row] = await this.ask((sql) => sql.unsafe(`${total} ${where}`, [...parameters]).values());
    return Number(row?.[0] ?? 0);
  }
}
