/** Inserts the records of a bulk with COPY, which is several times as fast as the write function. */
import { linesOf, type Spooled } from '../spool.ts';
import { type Acknowledged, type Additions, type BatchResult, encodeBatch } from './batch.ts';
import type { Inserted, Insertion } from './call-bulk.ts';
import { createdColumns, createdRows } from './created-rows.ts';
import { sqlState } from './errors.ts';
import { newestChange } from './history-sql.ts';

const savepoint = 'shelf_bulk';
/** A value that another record has, and a reference to none. */
const clashStates = ['23505', '23503'];
/** Records that are copied together, and reads of the spool, each of about 256 KiB, that they come from. */
const [recordsAtOnce, readsAtOnce] = [5000, 4];

/** Undefined if it is not possible, or if another record is in the way. */
export async function copyAll(
  { ask, copy, mayGoOn, writeFunction, noticed }: Insertion,
  { to, table, spooled, by }: Additions,
): Promise<Inserted | undefined> {
  if (table === undefined) return undefined;
  if (table.isChecked) await ask(`savepoint ${savepoint}`);
  // Begins a new epoch if need be, and tells the other instances.
  const [row] = await ask(`select ${writeFunction}($1)`, [encodeBatch([], noticed.shown)]);
  const { at, epoch } = JSON.parse(String(row?.[0])) as BatchResult;
  const bulked = { created: 0, first: 0, last: 0 };
  try {
    const parts = partsOf(spooled);
    const prepare = () => {
      const { done, value } = parts.next();
      return done ? undefined : { records: value, rows: table.recordRows(value, at) };
    };
    for (let part = prepare(); part !== undefined; ) {
      const { records, rows } = part;
      await mayGoOn();
      const copying = copy(table.into, rows);
      copying.catch(() => {});
      // While PostgreSQL stores these rows, the next ones are made.
      part = prepare();
      await copying;
      // All writers wait for the lock, so the last numbers are those of these records.
      const [numbers] = await ask(table.lastNumbers, [records.length]);
      const [low, high] = [Number(numbers?.[0]), Number(numbers?.[1])];
      if (high - low !== records.length - 1) throw new Error(`numbers from ${low} to ${high} are not consecutive`);
      const complete = records.map((json, index) => table.complete(json, low + index));
      await copy(createdColumns, createdRows({ collection: to, at, by }, complete, low));
      bulked.first ||= low;
      bulked.last = high;
      bulked.created += records.length;
    }
    // A missing reference would be found at the commit, too late to say which.
    if (table.isChecked) await ask('set constraints all immediate');
  } catch (error) {
    if (!table.isChecked || !clashStates.includes(sqlState(error) ?? '')) throw error;
    // The function finds out which records clash with which.
    await ask(`rollback to savepoint ${savepoint}`);
    return undefined;
  }
  const [newest] = await ask(newestChange);
  return { ...bulked, newest: lastOf(newest?.[0]), epoch };
}

/** Between two parts the bulk gives way to other writes that have waited long. */
function* partsOf(spooled: Spooled): Generator<string[], void> {
  let part: string[] = [];
  let reads = 0;
  for (const lines of linesOf(spooled)) {
    reads++;
    for (let at = 0; at < lines.length; ) {
      const taken = lines.slice(at, at + recordsAtOnce - part.length);
      at += taken.length;
      part = part.concat(taken);
      if (part.length < recordsAtOnce && (reads < readsAtOnce || at < lines.length)) continue;
      yield part;
      part = [];
      reads = 0;
    }
  }
  if (part.length > 0) yield part;
}

function lastOf(newest: unknown): Acknowledged['last'] {
  return (typeof newest === 'string' ? JSON.parse(newest) : (newest ?? null)) as Acknowledged['last'];
}
