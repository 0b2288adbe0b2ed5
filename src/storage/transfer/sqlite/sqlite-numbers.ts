/** Numbers of a SQLite file from elsewhere, of any release. */
import type { Database } from 'bun:sqlite';
import { StartError } from '../../../domain/errors.ts';
import { highestNumber, isNumber } from '../../../domain/feed/feed-history.ts';
import { identifier } from '../../../domain/sql-text.ts';
import { impossibleTransaction } from '../../rows/change.ts';
import { gapsIn, lastNumberIn, requireRoom, settingIn } from '../../sqlite/file/epoch.ts';
import { hasTable } from '../../sqlite/schema/evolution.ts';
import { lastChangeIn } from '../../sqlite/statements/collection-sql.ts';

/** Throws a StartError unless the file can go on from its numbers. */
export function requireFileNumbers(db: Database, from: string, collections: readonly string[]): void {
  requireRoom(db, from, highestNumber);
  const last = lastNumberIn(db);
  for (const name of collections) {
    // An id or a version beyond the last number would be given out again.
    using beyond = db
      .prepare<{ seq: bigint; version: bigint }, [number]>(
        `select seq, version from ${identifier(name)} where seq not between 1 and ?1 or version not between 1 and ?1 limit 1`,
      )
      .safeIntegers(true);
    const found = beyond.get(last);
    if (found === null) continue;
    throw new StartError(
      `${name} in ${from} has the id ${found.seq} with the version ${found.version}, and the last number given out is ${last}: restore another backup.`,
    );
  }
  requireTransactions(db, from);
  if (!hasTable(db, 'settings')) return;
  if (gapsIn(db).some(([, next]) => next > highestNumber))
    throw new StartError(`A gap in the history of ${from} ends above ${highestNumber}: restore another backup.`);
  const trimmed = settingIn(db, 'trimmed') ?? '0';
  if (trimmed !== '0' && !isNumber(Number(trimmed)))
    throw new StartError(`The last trimmed change in ${from} has no valid number: restore another backup.`);
}

/** Files of earlier releases have no transactions. */
function requireTransactions(db: Database, from: string): void {
  using column = db.prepare("select 1 from pragma_table_info('changes') where name = 'transaction_size'");
  if (column.get() === null) return;
  using impossible = db
    .prepare<{ seq: bigint }, []>(`select seq from changes where ${impossibleTransaction(lastChangeIn(db))} limit 1`)
    .safeIntegers(true);
  const found = impossible.get();
  if (found === null) return;
  throw new StartError(
    `Change ${found.seq} in ${from} is of a transaction that is not possible: restore another backup.`,
  );
}
