/** Writes the change rows of all collections. */
import type { Database } from 'bun:sqlite';
import { changeStatement, createdStatement, rangeColumns } from '../statements/changes-sql.ts';
import { RowInserts } from '../statements/row-inserts.ts';
import { callerIn, type Stamp } from './clock.ts';
import type { ChangeRange, ChangeRow } from './transaction/open-changes.ts';

/** A record before the change or after it, as the change shows it. */
type Shown = {
  readonly recordId: bigint;
  readonly version: number | bigint;
  readonly createdAt: string;
  readonly json: string;
};

/** The statements, and the parameters of a transaction, or none. */
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
    any: new RowInserts((rows) => prepare(changeStatement(rows, more))),
    close(): void {
      for (const statement of prepared) statement[Symbol.dispose]();
    },
  };
}

export type ChangeRows = ReturnType<typeof openChangeRows>;

export function openChangeRows(db: Database) {
  const alone: Target = { inserts: openInserts(db, []), range: [] };
  const inTransaction = openInserts(db, rangeColumns);

  function targetOf(range: ChangeRange | undefined): Target {
    return range === undefined ? alone : { inserts: inTransaction, range: [range.first, range.size] };
  }

  /** At once, or at the end of the transaction that the stamp is of. */
  function writeOne(row: ChangeRow, stamp: Stamp): void {
    if (stamp.open === undefined) insertAny([row], stamp);
    else stamp.open.addOne(row, (rows, range) => insertAny(rows, stamp, range));
  }

  function insertAny(rows: readonly ChangeRow[], stamp: Stamp, of?: ChangeRange): void {
    const { inserts, range } = targetOf(of);
    inserts.any.each(rows.length, (statement, from, to) =>
      statement.run(stamp.at, ...callerIn(stamp), ...range, ...rows.slice(from, to).flat()),
    );
  }

  function insertCreated(
    collection: string,
    first: number,
    records: readonly string[],
    stamp: Stamp,
    of?: ChangeRange,
  ) {
    const { inserts, range } = targetOf(of);
    inserts.created.each(records.length, (statement, from, to) =>
      statement.run(collection, first + from, stamp.at, ...callerIn(stamp), ...range, ...records.slice(from, to)),
    );
  }

  return {
    /** Records with consecutive record ids from `first` on. */
    created(collection: string, first: number, records: readonly string[], stamp: Stamp): void {
      const { at, open } = stamp;
      const [json] = records;
      if (open === undefined) insertCreated(collection, first, records, stamp);
      else if (records.length === 1 && json !== undefined)
        writeOne([collection, 'created', first, 1, at, json, null, null], stamp);
      else open.add(records.length, (range) => insertCreated(collection, first, records, stamp, range));
    },

    /** `before` is what the update has changed. */
    updated(collection: string, { recordId, version, createdAt, json }: Shown, before: string, stamp: Stamp): void {
      writeOne([collection, 'updated', recordId, version, createdAt, json, before, null], stamp);
    },

    /** `updatedAt` is the time of the last update before. */
    deleted(collection: string, { recordId, version, createdAt, json }: Shown, updatedAt: string, stamp: Stamp): void {
      writeOne([collection, 'deleted', recordId, version, createdAt, json, null, updatedAt], stamp);
    },

    close(): void {
      alone.inserts.close();
      inTransaction.close();
    },
  };
}
