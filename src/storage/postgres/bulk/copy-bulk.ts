/** Inserts the records of a bulk with COPY, which is several times as fast as the write function. */
import { linesOf, type Spooled } from '../../bulk/spool.ts';
import { type Acknowledged, type Additions, type BatchResult, encodeBatch } from '../batch/batch.ts';
import { sqlState } from '../connect/errors.ts';
import { endOfRows, type RowWriter } from '../statements/binary-rows.ts';
import { newestChange } from '../statements/changes.ts';
import type { Inserted, Insertion } from './call-bulk.ts';
import { createdColumns, createdRows } from './created-rows.ts';

const savepoint = 'shelf_bulk';
/** A value that another record has, and a reference to none. */
const clashStates = ['23505', '23503'];
/** Records that are copied together, and reads of the spool, each of about 256 KiB, that they come from. */
const [recordsAtOnce, readsAtOnce] = [10_000, 8];
/** Where the numbers of the records are not known before, the first records show them. */
const firstRecords = 500;
/** Records that are encoded without a pause: less than a millisecond. */
const recordsPerTurn = 200;

type Part = {
  readonly count: number;
  readonly rows: Encoded;
  readonly changes: Encoded;
};
/** In the order in which COPY takes them. */
export type Encoded = readonly Promise<Uint8Array>[];

/** Undefined if it is not possible, for a bulk with a key, or if another record is in the way. */
export async function copyAll(
  { ask, copy, mayGoOn, writeFunction, noticed }: Insertion,
  { to, table, rule, spooled, by, traceId }: Additions,
): Promise<Inserted | undefined> {
  if (table === undefined || rule !== undefined) return undefined;
  if (table.isChecked) await ask(`savepoint ${savepoint}`);
  // Begins a new epoch if need be, and tells the other instances.
  const [row] = await ask(`select ${writeFunction}($1)`, [encodeBatch([], noticed.shown)]);
  const { at, epoch } = JSON.parse(String(row?.[0])) as BatchResult;
  const bulked = { created: 0, first: 0, last: 0 };
  const numbers = async (count: number) => {
    const [found] = await ask(table.lastNumbers, [count]);
    return [Number(found?.[0]), Number(found?.[1])] as const;
  };
  // All writers wait for the lock, so these records get the next numbers, one after the other.
  const [[assigned] = []] = await ask(table.lastAssigned);
  const isKnown = assigned != null;
  const { promise: first, resolve: isFirst } = Promise.withResolvers<number>();
  if (isKnown) isFirst(Number(assigned) + 1);
  const parts = partsOf(spooled, isKnown ? recordsAtOnce : firstRecords);
  let prepared = 0;
  /** One after the other, in the order in which PostgreSQL takes them. */
  let encoding: Promise<unknown> = Promise.resolve();
  const encode = (records: readonly string[], open: () => Promise<RowWriter>): Encoded => {
    const encoded = inTurns(encoding, records, open);
    encoding = encoded.at(-1) ?? encoding;
    return encoded;
  };
  const prepare = (): Part | undefined => {
    const { done, value: records } = parts.next();
    if (done) return undefined;
    const before = prepared;
    prepared += records.length;
    const rows = encode(records, async () => table.recordRows(at));
    const changes = encode(records, async () => {
      let recordId = (await first) + before;
      const write = createdRows({ collection: to, at, by, traceId }, recordId);
      return (some) => write(some.map((json) => table.complete(json, recordId++, at)));
    });
    return { count: records.length, rows, changes };
  };
  const store = async ({ count, rows, changes }: Part) => {
    await copy(table.into, rows);
    if (bulked.created === 0 && !isKnown) {
      const [low, high] = await numbers(count);
      if (high - low !== count - 1) throw new Error(`numbers from ${low} to ${high} are not consecutive`);
      isFirst(low);
    }
    await copy(createdColumns, changes);
    bulked.created += count;
  };
  let newest: unknown;
  try {
    for (let part = prepare(); part !== undefined; ) {
      await mayGoOn();
      // While PostgreSQL stores these rows, the next ones are made.
      const stored = store(part);
      stored.catch(() => {});
      part = prepare();
      await stored;
    }
    bulked.first = await first;
    bulked.last = bulked.first + bulked.created - 1;
    const [[last], [found]] = await Promise.all([numbers(1), ask(newestChange)]);
    newest = found?.[0];
    if (last !== bulked.last) throw new Error(`the last number is ${last}, expected ${bulked.last}`);
    // A missing reference would be found at the commit, too late to say which.
    if (table.isChecked) await ask('set constraints all immediate');
  } catch (error) {
    if (!table.isChecked || !clashStates.includes(sqlState(error) ?? '')) throw error;
    // The function finds out which records clash with which.
    await ask(`rollback to savepoint ${savepoint}`);
    return undefined;
  }
  return { ...bulked, newest: lastOf(newest), epoch };
}

/** Other requests get their turn in between. */
function inTurns(after: Promise<unknown>, records: readonly string[], open: () => Promise<RowWriter>): Encoded {
  const writer = after.then(open);
  // It is awaited with the first records, and they are when PostgreSQL takes them.
  writer.catch(() => {});
  const encoded: Promise<Uint8Array>[] = [];
  let before: Promise<unknown> = writer;
  const add = (encodeSome: () => Promise<Uint8Array>) => {
    const some = before.then(encodeSome);
    some.catch(() => {});
    encoded.push(some);
    before = some;
  };
  for (let at = 0; at < records.length; at += recordsPerTurn) {
    add(async () => {
      await new Promise(setImmediate);
      return (await writer)(records.slice(at, at + recordsPerTurn));
    });
  }
  add(async () => endOfRows);
  return encoded;
}

/** Between two parts the bulk gives way to other writes that have waited long. */
function* partsOf(spooled: Spooled, first: number): Generator<string[], void> {
  let part: string[] = [];
  let reads = 0;
  let most = first;
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
