/** Advisory locks and the channel that all instances on a database share. */

/** "SHLF": whoever holds it writes. PostgreSQL keeps such locks apart for each database. */
export const writeLock = 0x53484c46;
/** Whoever holds it migrates. */
export const migrationLock = writeLock + 1;
/** Held by a bulk beside the other, so that no more than one of all instances stands before a write that waits. */
export const bulkLock = writeLock + 2;
/** Whether any instance waits for the first. */
export const writersWaiting = `select exists (select from pg_locks
  where locktype = 'advisory' and not granted and classid = 0 and objid = ${writeLock} and objsubid = 1
    and database = (select oid from pg_database where datname = current_database()))`;

/** Told of every commit that changes something. */
export const changesChannel = 'shelf_changes';
