/** Keeps a list in step with the change feed, and marks what has changed for a moment. */
import { type Signal, signal } from '@preact/signals';
import { type Change, type FeedState, follow } from '../../../api/feed.ts';
import { type Row, rowOf } from '../../../api/pages.ts';
import type { List } from './list.ts';

export type Mark = 'new' | 'changed' | 'gone';

/** How long the list waits for the feed, which should begin before it is read. */
const patienceMs = 200;
const markedMs = 3000;
const goneMs = 1200;
/** Changes that arrive together are looked at together. */
const gatherMs = 150;
/** Filters take at most a hundred values together. */
const idsAtOnce = 50;
/** Beyond this many, rows that are not on the screen are not asked about. */
const mostUnknown = 200;

export class LiveList {
  readonly state = signal<FeedState>('connecting');
  readonly marks: Signal<ReadonlyMap<string, Mark>> = signal(new Map());
  /** Counts what may have changed the number of records. */
  readonly arrivals = signal(0);
  /** Called with the id of each record that the feed has a change of. */
  readonly #watchers = new Set<(id: string) => void>();
  readonly #ended = new AbortController();
  #changes = new Map<string, Change>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #patience: ReturnType<typeof setTimeout>;

  constructor(readonly list: List) {
    const end = follow({
      collection: list.collection.name,
      filter: list.feedFilter,
      onState: (state) => {
        this.state.value = state;
        if (state === 'lost' || state === 'refused') this.#startRows();
      },
      // Changes before the feed began are in a list that is read from now on, and may be missing in one that was read before.
      onResync: () => list.rows.start(),
      onChange: (change) => this.#gather(change),
    });
    this.#ended.signal.addEventListener('abort', end);
    this.#patience = setTimeout(() => this.#startRows(), patienceMs);
  }

  /** Calls back with each change of a record, which may be outside of the list. Returns a function that ends it. */
  watch(id: string, notify: () => void): () => void {
    if (this.list.feedFilter !== undefined)
      return follow({
        collection: this.list.collection.name,
        filter: `id=${id}`,
        onChange: notify,
        // It may have changed before the feed began.
        onResync: notify,
        onState: () => {},
      });
    const watcher = (changed: string) => (changed === id ? notify() : undefined);
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #startRows(): void {
    if (!this.list.rows.isStarted) this.list.rows.start();
  }

  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#patience);
    this.#ended.abort();
  }

  #gather(change: Change): void {
    const id = change.record.get('id') ?? '';
    this.#changes.set(id, change);
    for (const watch of this.#watchers) watch(id);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const gathered = this.#changes;
      this.#changes = new Map();
      this.#apply(gathered).catch(() => {
        // The next change, or a reload, shows it.
      });
    }, gatherMs);
  }

  async #apply(changes: ReadonlyMap<string, Change>): Promise<void> {
    const { rows } = this.list;
    const lasting: Row[] = [];
    for (const { type, match, record } of changes.values()) {
      const row = rowOf(record);
      if (match === 'left' || type.endsWith('.deleted')) this.#vanish(row);
      else lasting.push(row);
    }
    for (const row of this.list.feedFilter === undefined ? await this.#matching(lasting) : lasting) {
      const kind = rows.has(row.id) ? 'changed' : 'new';
      // Its own save has already put the row of this version there.
      if (rows.row(row.id)?.version === row.version) continue;
      if (rows.place(row)) this.#mark(row.id, kind, markedMs);
    }
    this.arrivals.value++;
  }

  /** The changed records that are in a list whose feed has those of all records; those that no longer are vanish from it. */
  async #matching(changed: readonly Row[]): Promise<readonly Row[]> {
    if (this.list.query.filters.length === 0) return changed;
    const { rows } = this.list;
    const known = changed.filter(({ id }) => rows.has(id));
    const unknown = changed.filter(({ id }) => !rows.has(id));
    const asked = [...known, ...(unknown.length > mostUnknown ? [] : unknown)].map(({ id }) => id);
    const found: Row[] = [];
    for (let at = 0; at < asked.length; at += idsAtOnce)
      found.push(...(await this.list.matching(asked.slice(at, at + idsAtOnce), this.#ended.signal)));
    const matching = new Set(found.map(({ id }) => id));
    for (const row of known) if (!matching.has(row.id)) this.#vanish(row);
    return found;
  }

  /** Does nothing if the list was read after this state of the record. */
  #vanish({ id, version }: Row): void {
    const known = this.list.rows.row(id);
    if (known === undefined || BigInt(known.version) > BigInt(version)) return;
    this.#mark(id, 'gone', goneMs, () => this.list.rows.remove(id));
  }

  #mark(id: string, mark: Mark, ms: number, then?: () => void): void {
    this.marks.value = new Map([...this.marks.value, [id, mark]]);
    setTimeout(() => {
      // A record that was gone may be back.
      if (this.marks.value.get(id) !== mark) return;
      this.marks.value = new Map([...this.marks.value].filter(([one]) => one !== id));
      then?.();
    }, ms);
  }
}
