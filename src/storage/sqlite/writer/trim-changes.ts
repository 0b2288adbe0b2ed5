/** Deletes old changes. */
import type { Database } from 'bun:sqlite';
import { trimmedAtOnce } from '../../rows/change.ts';

/** Stops at the first change that is not older than `before`. Stores the last deleted number, so that asking for it is a clear error. */
export function trimChanges(db: Database, before: string): number {
  using oldest = db.prepare<{ seq: number; at: string }, [number]>('select seq, at from changes order by seq limit ?');
  const old = oldest.all(trimmedAtOnce);
  const firstKept = old.findIndex(({ at }) => at >= before);
  const expired = firstKept < 0 ? old : old.slice(0, firstKept);
  const last = expired.at(-1)?.seq;
  if (last === undefined) return 0;
  db.run('delete from changes where seq <= ?', [last]);
  db.run("insert or replace into settings values ('trimmed', ?)", [String(last)]);
  return expired.length;
}
