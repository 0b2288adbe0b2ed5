/** Writes the change rows of all collections. */
import type { Database } from 'bun:sqlite';
import { createdStatement, deletedStatement, rangeColumns, updatedStatement } from '../statements/changes-sql.ts';
import { RowInserts } from '../statements/row-inserts.ts';
import { callerIn, type Stamp } from './clock.ts';
import type { ChangeRange } from './transaction/open-changes.ts';

/** A record before the change or after it, as the change shows it. */
type Shown = {
  readonly recordId: bigint;
  readonly version: number | bigint;
  readonly createdAt: string;
  readonly json: string;
};

/** The statements, and their last parameters: those of a transaction, or none. */
type Target = { readonly inserts: Inserts; readonly range: readonly number[] };

type Inserts = ReturnType<typeof openInserts>;

function openInserts(db: Database, more: readonly string[]) {
  const prepared: Disposable[] = [];
  const prepare = (text: string) => {
    const statement = db.prepare<unknown, (string | number | bigint | null)[]>(text);
    prepared.push(statement);
    return statement;
  };
  return {
    created: new RowInserts((rows) => prepare(createdStatement(rows, more))),
    updated: prepare(updatedStatement(more)),
    deleted: prepare(deletedStatement(more)),
    close(): void {
      for (const statement of prepared) statement[Symbol.dispose]();
    },
  };
}

export type ChangeRows = ReturnType<typeof openChangeRows>;

export function openChangeRows(db: Database) {
  const alone: Target = { inserts: openInserts(db, []), range: [] };
  const inTransaction = openInserts(db, rangeColumns);

  /** At once, or at the end of the transaction that the stamp is of. */
  function write({ open }: Stamp, rows: number, insert: (target: Target) => void): void {
    if (open === undefined) insert(alone);
    else open.add(rows, (range) => insert(targetOf(range)));
  }

  function targetOf(range: ChangeRange | undefined): Target {
    return range === undefined ? alone : { inserts: inTransaction, range: [range.first, range.size] };
  }

  return {
    /** Records with consecutive record ids from `first` on. */
    created(collection: string, first: number, records: readonly string[], stamp: Stamp): void {
      const { at } = stamp;
      write(stamp, records.length, ({ inserts, range }) =>
        inserts.created.each(records.length, (statement, from, to) =>
          statement.run(collection, first + from, at, ...callerIn(stamp), ...range, ...records.slice(from, to)),
        ),
      );
    },

    /** `before` is what the update has changed. */
    updated(collection: string, { recordId, version, createdAt, json }: Shown, before: string, stamp: Stamp): void {
      const { at } = stamp;
      write(stamp, 1, ({ inserts, range }) =>
        inserts.updated.run(collection, recordId, version, createdAt, at, ...callerIn(stamp), json, before, ...range),
      );
    },

    /** `updatedAt` is the time of the last update before. */
    deleted(collection: string, { recordId, version, createdAt, json }: Shown, updatedAt: string, stamp: Stamp): void {
      const { at } = stamp;
      write(stamp, 1, ({ inserts, range }) =>
        inserts.deleted.run(
          collection,
          recordId,
          version,
          createdAt,
          at,
          ...callerIn(stamp),
          json,
          updatedAt,
          ...range,
        ),
      );
    },

    close(): void {
      alone.inserts.close();
      inTransaction.close();
    },
  };
}
