/** Advisory locks and the notification channel of all instances on a database. */

/** "SHLF". Held during every write. PostgreSQL keeps advisory locks separate for each database. */
export const writeLock = 0x53484c46;
/** Held during a migration. */
export const migrationLock = writeLock + 1;
/** Held by a bulk in addition to the write lock, so that a waiting write has at most one bulk of all instances before it. */
export const bulkLock = writeLock + 2;
/** Whether any instance waits for the write lock. */
export const writersWaiting = `select exists (select from pg_locks
  where locktype = 'advisory' and not granted and classid = 0 and objid = ${writeLock} and objsubid = 1
    and database = (select oid from pg_database where datname = current_database()))`;

/** Notified by every commit of the write function. */
export const changesChannel = 'shelf_changes';
