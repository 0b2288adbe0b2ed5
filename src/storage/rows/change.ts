/** Rows of the change table, the same in every engine. */

import { type Change, type Changes, type ChangeTransaction, wholeTransactions } from '../../domain/feed/change.ts';
import type { History } from '../../domain/feed/feed-history.ts';
import type { Collection } from '../../domain/record/collection.ts';

/** Changes deleted in one transaction: few enough that no write waits long behind it. */
export const trimmedAtOnce = 5000;

export const changeColumns = [
  'seq',
  'collection',
  'type',
  'record_seq',
  'version',
  'created_at',
  'at',
  'updated_at',
  'record',
  'singular',
  'made_by',
  'transaction_first',
  'transaction_size',
  'before',
  'trace_id',
] as const;

/** The column of the size is an int4 in PostgreSQL. */
export const largestTransaction = 2 ** 31 - 1;

/** A condition on changes whose transaction cannot have been committed. `last` is the number of the last change. */
export const impossibleTransaction = (last: number) =>
  `(transaction_first is null) <> (transaction_size is null) or transaction_first < 1
   or transaction_size not between 2 and ${largestTransaction} or seq < transaction_first
   or seq >= transaction_first + transaction_size or transaction_first + transaction_size - 1 > ${last}`;

/** Values in the order of `changeColumns`. */
export type ChangeRow = readonly (string | number | bigint | null)[];

export function changesOf(collections: readonly Collection[], rows: readonly ChangeRow[]): Change[] {
  const byName = new Map(collections.map((collection) => [collection.name, collection]));
  return rows.map((row) => {
    const [changeNumber, name, type, recordId, version, createdAt, at, updatedAt, record, singular, by] = row;
    const collection = byName.get(String(name));
    if (collection === undefined) throw new Error(`change ${changeNumber} belongs to an unknown collection: ${name}`);
    const recorded = {
      recordId: Number(recordId),
      version: Number(version),
      createdAt: String(createdAt),
      updatedAt: String(updatedAt ?? at),
      json: String(record),
    };
    return {
      changeNumber: Number(changeNumber),
      type: type as Change['type'],
      at: String(at),
      by: by === null ? undefined : String(by),
      traceId: traceOf(row),
      transaction: transactionOf(row),
      before: beforeOf(row),
      collection,
      singular: singular === null ? collection.singular : String(singular),
      record: recorded,
    };
  });
}

const [firstAt, sizeAt] = [changeColumns.indexOf('transaction_first'), changeColumns.indexOf('transaction_size')];

export function transactionOf(row: ChangeRow): ChangeTransaction | undefined {
  const [first = null, size = null] = [row[firstAt], row[sizeAt]];
  return first === null || size === null ? undefined : { first: Number(first), size: Number(size) };
}

const traceAt = changeColumns.indexOf('trace_id');

/** Undefined for the change of a write without a trace. */
function traceOf(row: ChangeRow): string | undefined {
  const traceId = row[traceAt] ?? null;
  return traceId === null ? undefined : String(traceId);
}

const beforeAt = changeColumns.indexOf('before');

/** Undefined for a change that is no update, and for one of a release that did not store it. */
export function beforeOf(row: ChangeRow): string | undefined {
  const before = row[beforeAt] ?? null;
  return before === null ? undefined : String(before);
}

/**
 * The changes of a read. `next` is the first change of the transaction that the change after these belongs to, if any. `history` is of the
 * same snapshot: if there are no more changes, the read has looked to its end.
 */
export function changesRead(
  read: readonly Change[],
  more: boolean,
  next: number | undefined,
  history: History,
): Changes {
  const { kept, isPartial } = wholeTransactions(read, next);
  return { changes: kept, more, history, to: more ? (kept.at(-1)?.changeNumber ?? 0) : history.last, isPartial };
}
