/** A database that was restored from a copy goes on with numbers that its lost history cannot have used. */
import type { Database } from 'bun:sqlite';
import { farJump, type Gap } from '../../../domain/history.ts';
import { lastChangeIn } from '../sql.ts';

export function settingIn(db: Database, name: string): string | undefined {
  using setting = db.prepare<{ value: string }, [string]>('select value from settings where name = ?');
  return setting.get(name)?.value;
}

function set(db: Database, name: string, value: string): void {
  db.run('insert or replace into settings values (?, ?)', [name, value]);
}

/** Which database this is, whoever has copied it since it was made. */
export function lineageIn(db: Database): string {
  const known = settingIn(db, 'lineage');
  if (known !== undefined) return known;
  const made = crypto.randomUUID();
  set(db, 'lineage', made);
  return made;
}

export function gapsIn(db: Database): Gap[] {
  return JSON.parse(settingIn(db, 'gaps') ?? '[]') as Gap[];
}

/** The highest number that was given out, of a record or a change. A version is never higher than its change. */
export function lastNumberIn(db: Database): number {
  using highest = db.prepare<{ last: number | null }, []>('select max(seq) as last from sqlite_sequence');
  return highest.get()?.last ?? 0;
}

/**
 * Ids, change numbers and each record's next version go on behind `lost`, the highest number of the lost history, or far
 * ahead of what it had `reached` for certain where that is not known. Cursors of the lost history are refused.
 */
export function beginEpoch(db: Database, tables: readonly string[], lost: number | undefined, reached: number): void {
  const own = Math.max(lastNumberIn(db), reached);
  const next = lost === undefined ? own + farJump : Math.max(own, lost) + 1;
  set(db, 'gaps', JSON.stringify([...gapsIn(db), [lastChangeIn(db), next]]));
  for (const table of ['changes', ...tables]) {
    db.run('insert into sqlite_sequence select ?1, 0 where ?1 not in (select name from sqlite_sequence)', [table]);
  }
  db.run('update sqlite_sequence set seq = ?', [next]);
  db.run("update settings set value = lower(hex(randomblob(32))) where name = 'secret'");
}
