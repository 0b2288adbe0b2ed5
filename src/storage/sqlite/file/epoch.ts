/** Numbering after a restore: a restored database continues with numbers that the lost history cannot have used. */
import type { Database } from 'bun:sqlite';
import { StartError } from '../../../domain/errors.ts';
import { farJump, type Gap, gapsFrom } from '../../../domain/feed/feed-history.ts';
import { lastChangeIn } from '../statements/collection-sql.ts';

export function settingIn(db: Database, name: string): string | undefined {
  using setting = db.prepare<{ value: string }, [string]>('select value from settings where name = ?');
  return setting.get(name)?.value;
}

function set(db: Database, name: string, value: string): void {
  db.run('insert or replace into settings values (?, ?)', [name, value]);
}

/** The id of a database, the same in all its copies; created on the first call. */
export function lineageIn(db: Database): string {
  const known = settingIn(db, 'lineage');
  if (known !== undefined) return known;
  const created = crypto.randomUUID();
  set(db, 'lineage', created);
  return created;
}

export function gapsIn(db: Database): Gap[] {
  return gapsFrom(settingIn(db, 'gaps'));
}

/** The highest number assigned to a record or a change. A version is never higher than the number of its change. */
export function lastNumberIn(db: Database): number {
  using highest = db.prepare<{ last: number | null }, []>('select max(seq) as last from sqlite_sequence');
  return highest.get()?.last ?? 0;
}

/**
 * Throws a StartError if a number of the file is above `highest`: ids and change numbers could not continue from there. `path`
 * is for the message.
 */
export function requireRoom(db: Database, path: string, highest: number): void {
  using beyond = db.prepare<{ name: string }, [number]>(
    "select name from sqlite_sequence where typeof(seq) <> 'integer' or seq not between 0 and ? limit 1",
  );
  const found = beyond.get(highest);
  if (found === null) return;
  throw new StartError(
    `The last number of ${JSON.stringify(found.name)} in ${path} is not one from 0 to ${highest}: use another database or backup.`,
  );
}

/**
 * Ids, change numbers and each record's next version continue after `lost`, the highest number of the lost history. If
 * `lost` is unknown they jump ahead by `farJump`, at least from `reached`, the highest number that the lost history is
 * known to have assigned. The new secret makes cursors of the lost history invalid.
 */
export function beginEpoch(db: Database, lost: number | undefined, reached: number): void {
  const own = Math.max(lastNumberIn(db), reached);
  const next = lost === undefined ? own + farJump : Math.max(own, lost) + 1;
  set(db, 'gaps', JSON.stringify([...gapsIn(db), [lastChangeIn(db), next]]));
  // This includes tables that have never had a row, and tables of collections that are not served.
  db.run(`insert into sqlite_sequence select name, 0 from sqlite_schema where type = 'table'
    and sql like '%autoincrement%' and name not in (select name from sqlite_sequence)`);
  db.run('update sqlite_sequence set seq = ?', [next]);
  newSecret(db);
}

/** Invalidates all earlier cursors and tickets. */
export function newSecret(db: Database): void {
  db.run("update settings set value = lower(hex(randomblob(32))) where name = 'secret'");
}
