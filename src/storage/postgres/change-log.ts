/** Reads the changes, the history and the secret of the current epoch. */
import type { Collection } from '../../domain/collection.ts';
import type { Gap, History } from '../../domain/history.ts';
import type { Soon } from '../../domain/soon.ts';
import type { Changes } from '../../domain/store.ts';
import { bytesAtOnce } from '../bounds.ts';
import { type ChangeRow, changesOf } from '../rows/change.ts';
import { changesStatement, historyStatement } from './history-sql.ts';
import type { Ask, Query } from './reads.ts';
import { respelled } from './recorded.ts';
import type { ShownChanges } from './shown-changes.ts';
import { hasMore } from './table.ts';

/** How long the secret is cached. Cursors of an epoch are accepted this long after another instance has begun the next. */
const secretMs = 1000;

export class ChangeLog {
  #secret: { readonly value: string; readonly readAt: number } | undefined;

  constructor(
    readonly ask: Ask,
    readonly query: Query,
    readonly collections: readonly Collection[],
    readonly noticed: ShownChanges,
  ) {}

  /** Call when a new epoch begins: it has a new secret. */
  forgetSecret(): void {
    this.#secret = undefined;
  }

  secret(): Soon<string> {
    const now = performance.now();
    if (this.#secret !== undefined && now - this.#secret.readAt < secretMs) return this.#secret.value;
    return this.#readSecret(now);
  }

  async #readSecret(now: number): Promise<string> {
    const [row] = await this.ask((sql) => sql`select value from settings where name = 'secret'`.values());
    this.#secret = { value: String(row?.[0] ?? ''), readAt: now };
    return this.#secret.value;
  }

  async after(after: number, limit: number, of?: Collection, bytes = bytesAtOnce): Promise<Changes> {
    // Changes are read before the history: changes that are trimmed in between are missing, but the history reports them.
    // Changes of a collection that is no longer declared cannot be decoded.
    const names = `{${(of === undefined ? this.collections : [of]).map(({ name }) => name).join(',')}}`;
    const rows = await this.query(changesStatement, [after, limit + 1, names, bytes]);
    const history = await this.history();
    const changes = changesOf(this.collections, rows.slice(0, limit) as ChangeRow[]).map((change) => {
      const { collection, record } = change;
      return { ...change, record: { ...record, json: respelled(collection, record.json) } };
    });
    const newest = changes.at(-1);
    if (newest !== undefined) this.noticed.show([newest.seq, newest.at]);
    return { changes, more: hasMore(rows, limit), history };
  }

  async history(): Promise<History> {
    const [row] = await this.query(historyStatement);
    const [last, trimmed, gaps] = row ?? [];
    return { last: Number(last), trimmed: Number(trimmed), gaps: JSON.parse(String(gaps)) as Gap[] };
  }
}
