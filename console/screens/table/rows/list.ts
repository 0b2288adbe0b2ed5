/** One list as the table shows it: its rows, and the requests behind them. */
import { type Column, columnsOf, labelFieldOf } from '../../../api/columns.ts';
import { orderOf } from '../../../api/compare.ts';
import type { Collection } from '../../../api/declarations.ts';
import { ownReferences } from '../../../api/delete-many.ts';
import { members } from '../../../api/json.ts';
import { type Page, type Row, readPage, rowOf } from '../../../api/pages.ts';
import { filterParameters, hasPath, type Query, searchOf } from '../../../api/query.ts';
import { learnRow } from '../../../state/titles.ts';
import { Rows } from './rows.ts';

/** The most that the server gives. */
const mostOfPage = 1000;
const noValues: Row['values'] = new Map();

export class List {
  readonly rows: Rows;
  /** The columns that are read: those that are shown, and those that the order and a deletion of several records need. */
  readonly #fields: readonly string[];
  /** The collections of the references whose records come with a page. One that the caller may not read has no titles. */
  readonly #targets: ReadonlyMap<string, Collection>;

  constructor(
    readonly collection: Collection,
    readonly query: Query,
    readonly shown: readonly Column[],
    collections: readonly Collection[],
  ) {
    this.#targets = new Map(
      shown.flatMap(({ name, field: { to } }) => {
        const target = collections.find((one) => one.name === to && labelFieldOf(one) !== undefined);
        return target === undefined ? [] : [[name, target]];
      }),
    );
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
    const rest = [
      `limit=${limit}`,
      ...(this.#targets.size === 0 ? [] : [`expand=${[...this.#targets.keys()].join(',')}`]),
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

  /** Reads on until the record is among the rows; false if it is not in the list, or far down in it. */
  async locate(id: string, signal: AbortSignal): Promise<boolean> {
    if (this.rows.has(id)) return true;
    const [row] = await this.matching([id], signal);
    return row !== undefined && this.rows.seek(row);
  }

  /** All records of the list, with what their deletion needs. */
  async *everything(signal: AbortSignal): AsyncGenerator<readonly Row[]> {
    const references = ownReferences(this.collection);
    const search = searchOf({ ...this.query, fields: ['id', 'version', ...references] });
    let cursor = '';
    for (;;) {
      const path = `/api/v2/${this.collection.name}?${search}&limit=${mostOfPage}${cursor}`;
      const { rows, next } = await readPage(path, signal);
      // The page keeps all of them, and there can be a million.
      yield references.length > 0 ? rows : rows.map(({ id, version }) => ({ id, version, values: noValues }));
      if (next === undefined) return;
      cursor = `&cursor=${encodeURIComponent(next)}`;
    }
  }

  async #read(cursor: string | undefined, limit: number, signal: AbortSignal): Promise<Page> {
    const page = await readPage(this.path(cursor, limit), signal);
    for (const { values } of page.rows) this.#learn(values);
    return page;
  }

  #learn(values: Row['values']): void {
    const expanded = values.get('expanded');
    if (expanded === undefined) return;
    for (const [name, record] of members(expanded)) {
      const target = this.#targets.get(name);
      if (target !== undefined && record !== 'null') learnRow(target, rowOf(members(record)));
    }
  }
}
