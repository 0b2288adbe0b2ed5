/** The changes and the history. */

import type { Changes } from '../../../domain/feed/change.ts';
import type { Gap, History } from '../../../domain/feed/feed-history.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import { bytesAtOnce } from '../../bytes-at-once.ts';
import type { EngineFeed } from '../../engine-feed.ts';
import { type ChangeRow, changesOf, changesRead } from '../../rows/change.ts';
import type { Shown } from '../batch/batch.ts';
import type { SeenChanges } from '../primary/seen-changes.ts';
import { changeRowsIn, changesStatement, historyStatement, nextOf, trimStatement } from '../statements/changes.ts';
import type { Columns } from '../statements/columns.ts';
import { respelled } from '../statements/respelled.ts';
import { hasMore } from '../statements/table.ts';
import type { Listener } from './listener.ts';
import type { Queries } from './queries.ts';

export class PostgresFeed implements EngineFeed {
  constructor(
    readonly queries: Queries,
    readonly listener: Listener,
    readonly collections: readonly Collection[],
    readonly noticed: SeenChanges,
  ) {}

  async changes(after: number, limit: number, of?: Collection, bytes = bytesAtOnce): Promise<Changes> {
    // Changes of a collection that is no longer declared cannot be decoded.
    const names = `{${(of === undefined ? this.collections : [of]).map(({ name }) => name).join(',')}}`;
    const [first = [], ...others] = await this.queries.query(changesStatement, [after, limit + 1, names, bytes]);
    const rows = changeRowsIn([first, ...others]);
    const fitting = rows.slice(0, limit);
    const changes = changesOf(this.collections, fitting as ChangeRow[]).map((change) => {
      const { collection, record, before } = change;
      return {
        ...change,
        record: { ...record, json: respelled(collection, record.json) },
        before: before === undefined ? undefined : respelled(collection, before),
      };
    });
    const [history, newest] = historyIn(first);
    const more = hasMore(rows, limit);
    const read = changesRead(changes, more, nextOf(fitting.at(-1)), history);
    const last = read.changes.at(-1);
    const seen = more && last !== undefined ? ([last.changeNumber, last.at] as const) : newest;
    if (seen !== null) this.noticed.show(seen);
    return read;
  }

  async history(): Promise<History> {
    const [row = []] = await this.queries.query(historyStatement);
    const [history, newest] = historyIn(row);
    if (newest !== null) this.noticed.show(newest);
    return history;
  }

  watch(wake: () => void): () => void {
    return this.listener.watch(wake);
  }

  async trim(keptMs: number): Promise<number> {
    const [row] = await this.queries.ask((sql) => sql.unsafe(trimStatement, [keptMs]).values());
    return Number(row?.[0] ?? 0);
  }
}

/** From the columns of `historyStatement`. */
function historyIn([last, trimmed, gaps, newest]: Columns): readonly [History, newest: Shown | null] {
  return [
    { last: Number(last), trimmed: Number(trimmed), gaps: JSON.parse(String(gaps)) as Gap[] },
    newest === null ? null : (JSON.parse(String(newest)) as Shown),
  ];
}
