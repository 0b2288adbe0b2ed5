/** `?import`: a bulk of the batches of a file. Its last line lists them, each with its key and the number of its records. */
import { Failure } from '../../domain/errors.ts';
import type { Bulked, ImportBatch, Imported } from '../../domain/store/bulk.ts';
import type { Reply } from '../../wire/answer/reply.ts';
import { json } from '../route/reply.ts';

const decoder = new TextDecoder();
const openingBracket = 0x5b;

/** A record is never an array. */
export function isBatchList(line: Uint8Array): boolean {
  return line[0] === openingBracket;
}

/** Throws `malformed_json`. */
export function batchesIn(line: Uint8Array): readonly ImportBatch[] {
  const listed = listIn(decoder.decode(line));
  if (!listed.every(isBatch))
    throw wrong('must list batches, such as [{"key":"...","records":2}], each with a SHA-256 in hexadecimal digits');
  if (new Set(listed.map(({ key }) => key)).size < listed.length) throw wrong('has a key twice');
  return listed;
}

function listIn(text: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [undefined];
  } catch {
    return [undefined];
  }
}

function isBatch(one: unknown): one is ImportBatch {
  if (typeof one !== 'object' || one === null || !('key' in one) || !('records' in one)) return false;
  const { key, records } = one;
  return typeof key === 'string' && /^[0-9a-f]{64}$/.test(key) && Number.isSafeInteger(records) && Number(records) >= 0;
}

/** `count` is the number of records in the body. Throws `malformed_json`. */
export function requireBatches(batches: readonly ImportBatch[] | undefined, count: number): readonly ImportBatch[] {
  if (batches === undefined) throw wrong('must list the batches, such as [{"key":"...","records":2}]');
  const listed = batches.reduce((sum, { records }) => sum + records, 0);
  if (listed !== count) throw wrong(`lists batches of ${listed} records, and the body has ${count}`);
  return batches;
}

export function afterBatches(): Failure {
  return wrong('is the list of batches: send nothing after it');
}

function wrong(reason: string): Failure {
  return new Failure('malformed_json', {
    detail: `The last line of an import ${reason}.`,
    problems: [{ field: undefined, message: reason }],
  });
}

export function importReply(batches: readonly Imported[], isKeyed: boolean): Reply {
  const stored = batches.filter(({ earlier }) => earlier === undefined);
  const created = stored.reduce((sum, batch) => sum + batch.created, 0);
  const all = batches.map(({ earlier, ...batch }) => ({
    ...bulkResult(batch),
    ...(earlier === undefined ? {} : { earlier }),
  }));
  return json(201, JSON.stringify({ created, ...(isKeyed ? { updated: updatedIn(stored) } : {}), batches: all }));
}

function updatedIn(batches: readonly Imported[]): number {
  return batches.reduce((sum, { updated = 0 }) => sum + updated, 0);
}

/** A bulk with a key may have created no record, and has no ids then. */
export function bulkResult({ created, updated, first, last }: Bulked) {
  if (updated === undefined) return { created, first_id: first, last_id: last };
  const ids = created === 0 ? { first_id: null, last_id: null } : { first_id: first, last_id: last };
  return { created, updated, ...ids };
}
