/** Inserts the records of a bulk with COPY, which is several times as fast as the write function. */
import { linesOf, type Spooled } from '../spool.ts';
import { type Acknowledged, type Additions, type BatchResult, encodeBatch } from './batch.ts';
import type { RowWriter } from './binary-rows.ts';
import type { Inserted, Insertion } from './call-bulk.ts';
import { createdColumns, createdRows } from './created-rows.ts';
import { sqlState } from './errors.ts';
import { newestChange } from './history-sql.ts';

const savepoint = 'shelf_bulk';
/** A value that another record has, and a reference to none. */
const clashStates = ['23505', '23503'];
/** Records that are copied together, and reads of the spool, each of about 256 KiB, that they come from. */
const [recordsAtOnce, readsAtOnce] = [5000, 4];
/** The first records show which numbers the others get, so that their changes can be encoded in time. */
const firstRecords = 500;
const recordsPerTurn = 500;
/** Bytes of a row besides its JSON, about. */
const otherBytes = 100;

type Part = {
  readonly records: readonly string[];
  readonly rows: Uint8Array;
  readonly changes: Promise<Uint8Array>;
};

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
  const numbers = async (count: number) => {
    const [found] = await ask(table.lastNumbers, [count]);
    return [Number(found?.[0]), Number(found?.[1])] as const;
  };
  /** The number of the first record: all others follow. */
  const { promise: first, resolve: isFirst } = Promise.withResolvers<number>();
  const parts = partsOf(spooled);
  let prepared = 0;
  const prepare = async (): Promise<Part | undefined> => {
    const { done, value: records } = parts.next();
    if (done) return undefined;
    const before = prepared;
    prepared += records.length;
    const rows = await encode(records, (bytes) => table.recordRows(at, bytes));
    const changes = first.then((number) => {
      const low = number + before;
      const complete = records.map((json, index) => table.complete(json, low + index));
      return encode(complete, (bytes) => createdRows({ collection: to, at, by }, low, bytes));
    });
    // It is awaited after the rows are stored.
    changes.catch(() => {});
    return { records, rows, changes };
  };
  const store = async ({ records, rows, changes }: Part) => {
    await copy(table.into, rows);
    if (bulked.created === 0) {
      // All writers wait for the lock, so the last numbers are those of these records, and the next records get the next ones.
      const [low, high] = await numbers(records.length);
      if (high - low !== records.length - 1) throw new Error(`numbers from ${low} to ${high} are not consecutive`);
      bulked.first = low;
      isFirst(low);
    }
    await copy(createdColumns, await changes);
    bulked.created += records.length;
  };
  try {
    for (let part = await prepare(); part !== undefined; ) {
      await mayGoOn();
      // While PostgreSQL stores these rows, the next ones are made.
      [part] = await Promise.all([prepare(), store(part)]);
    }
    bulked.last = bulked.first + bulked.created - 1;
    const [last] = await numbers(1);
    if (last !== bulked.last) throw new Error(`the last number is ${last}, expected ${bulked.last}`);
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

/** Other requests get their turn in between. */
async function encode(records: readonly string[], open: (bytes: number) => RowWriter): Promise<Uint8Array> {
  const writer = open(records.reduce((sum, json) => sum + json.length + otherBytes, 0));
  for (let at = 0; at < records.length; at += recordsPerTurn) {
    writer.add(records.slice(at, at + recordsPerTurn));
    await new Promise(setImmediate);
  }
  return writer.end();
}

/** Between two parts the bulk gives way to other writes that have waited long. */
function* partsOf(spooled: Spooled): Generator<string[], void> {
  let part: string[] = [];
  let reads = 0;
  let most = firstRecords;
  for (const lines of linesOf(spooled)) {
    reads++;
    for (let at = 0; at < lines.length; ) {
      const taken = lines.slice(at, at + most - part.length);
      at += taken.length;
      part = part.concat(taken);
      if (part.length < most && (reads < readsAtOnce || at < lines.length)) continue;
      yield part;
      part = [];
      reads = 0;
      most = recordsAtOnce;
    }
  }
  if (part.length > 0) yield part;
}

function lastOf(newest: unknown): Acknowledged['last'] {
  return (typeof newest === 'string' ? JSON.parse(newest) : (newest ?? null)) as Acknowledged['last'];
}
