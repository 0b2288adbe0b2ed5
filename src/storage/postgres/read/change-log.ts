/** Reads the changes, the history and the secret of the current epoch. */
import type { Collection } from '../../../domain/collection.ts';
import type { Gap, History } from '../../../domain/history.ts';
import type { Soon } from '../../../domain/soon.ts';
import type { Changes } from '../../../domain/store.ts';
import { bytesAtOnce } from '../../bytes-at-once.ts';
import { type ChangeRow, changesOf, reached } from '../../rows/change.ts';
import type { Ask } from '../connect/pool.ts';
import type { SeenChanges } from '../primary/seen-changes.ts';
import type { Shown } from '../statements/batch.ts';
import { changeRowsIn, changesStatement, historyStatement } from '../statements/changes.ts';
import { hasMore } from '../statements/collection.ts';
import type { Columns } from '../statements/columns.ts';
import { respelled } from '../statements/recorded.ts';
import type { Query } from './reads.ts';

/** How long the secret is cached. Cursors of an epoch are accepted this long after another instance has begun the next. */
const secretMs = 1000;

export class ChangeLog {
  #secret: { readonly value: string; readonly readAt: number } | undefined;

  constructor(
    readonly ask: Ask,
    readonly query: Query,
    readonly collections: readonly Collection[],
    readonly noticed: SeenChanges,
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
    // Changes of a collection that is no longer declared cannot be decoded.
    const names = `{${(of === undefined ? this.collections : [of]).map(({ name }) => name).join(',')}}`;
    const [first = [], ...others] = await this.query(changesStatement, [after, limit + 1, names, bytes]);
    const rows = changeRowsIn([first, ...others]);
    const changes = changesOf(this.collections, rows.slice(0, limit) as ChangeRow[]).map((change) => {
      const { collection, record } = change;
      return { ...change, record: { ...record, json: respelled(collection, record.json) } };
    });
    const [history, newest] = historyIn(first);
    const more = hasMore(rows, limit);
    const last = changes.at(-1);
    const seen = more && last !== undefined ? ([last.seq, last.at] as const) : newest;
    if (seen !== null) this.noticed.show(seen);
    return { changes, more, history, to: reached(changes, more, history) };
  }

  async history(): Promise<History> {
    const [row = []] = await this.query(historyStatement);
    const [history, newest] = historyIn(row);
    if (newest !== null) this.noticed.show(newest);
    return history;
  }
}

/** From the columns of `historyStatement`. */
function historyIn([last, trimmed, gaps, newest]: Columns): readonly [History, newest: Shown | null] {
  return [
    { last: Number(last), trimmed: Number(trimmed), gaps: JSON.parse(String(gaps)) as Gap[] },
    newest === null ? null : (JSON.parse(String(newest)) as Shown),
  ];
}
