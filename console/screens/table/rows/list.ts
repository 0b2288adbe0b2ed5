/** One list as the table shows it: its rows, their names, and the requests behind them. */
import { type Column, columnsOf } from '../../../api/columns.ts';
import { orderOf } from '../../../api/compare.ts';
import type { Collection } from '../../../api/declarations.ts';
import { ownReferences } from '../../../api/delete-many.ts';
import { type Page, type Row, readPage } from '../../../api/pages.ts';
import { filterParameters, hasPath, type Query, searchOf } from '../../../api/query.ts';
import { Labels } from './labels.ts';
import { Rows } from './rows.ts';

export class List {
  readonly rows: Rows;
  readonly labels: Labels;
  /** The columns that are read: those that are shown, and those that the order and a deletion of several records need. */
  readonly #fields: readonly string[];

  constructor(
    readonly collection: Collection,
    readonly query: Query,
    readonly shown: readonly Column[],
    collections: readonly Collection[],
  ) {
    this.labels = new Labels(shown, collections);
    const names = [...shown.map(({ name }) => name), ...query.sort.map(({ field }) => field)];
    this.#fields = [...new Set(['id', 'version', ...names, ...ownReferences(collection)])];
    const order = orderOf(query.sort, columnsOf(collection));
    this.rows = new Rows({
      read: (cursor, limit, signal) => this.#read(cursor, limit, signal),
      compare: (one, other) => order(one.values, other.values),
    });
  }

  /**
   * The filters of its feed; undefined if it has none. A feed takes no paths: the record that one leads to may change alone.
   */
  get feedFilter(): string | undefined {
    const { filters } = this.query;
    return filters.length === 0 || filters.some(hasPath) ? undefined : filterParameters(filters).join('&');
  }

  /** The request for a page. */
  path(cursor: string | undefined, limit: number): string {
    const { expand } = this.labels;
    const rest = [
      `limit=${limit}`,
      ...(expand.length === 0 ? [] : [`expand=${expand.join(',')}`]),
      ...(cursor === undefined ? [] : [`cursor=${encodeURIComponent(cursor)}`]),
    ];
    return `/api/v2/${this.collection.name}?${[searchOf({ ...this.query, fields: this.#fields }), ...rest].join('&')}`;
  }

  /** Those of these records that are in the list now. */
  async matching(ids: readonly string[], signal: AbortSignal): Promise<readonly Row[]> {
    const filters = [...this.query.filters, { field: 'id', operator: 'in', value: ids.join(',') }];
    const search = searchOf({ ...this.query, filters, fields: this.#fields });
    const { rows } = await readPage(`/api/v2/${this.collection.name}?${search}&limit=${ids.length}`, signal);
    return rows;
  }

  async #read(cursor: string | undefined, limit: number, signal: AbortSignal): Promise<Page> {
    const page = await readPage(this.path(cursor, limit), signal);
    this.labels.learn(page.rows);
    return page;
  }
}
