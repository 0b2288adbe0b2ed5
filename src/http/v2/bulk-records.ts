/** The records of a bulk as they arrive: one JSON object per line, or CSV. */

import { CsvRecords } from '../../domain/csv/records.ts';
import { Failure } from '../../domain/errors.ts';
import { parseJson } from '../../domain/input/json.ts';
import { sentMembers, withTexts } from '../../domain/input/sent-members.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { encodeSent, readKeyed } from '../../domain/record/keyed-text.ts';
import { maxWords } from '../../domain/record/pattern-effort.ts';
import type { ImportBatch } from '../../domain/store/bulk.ts';
import type { Body } from '../../wire/request/body.ts';
import type { Incoming } from '../../wire/request/incoming.ts';
import type { Bodies } from '../body/json-body.ts';
import type { Call } from '../route/route.ts';
import { afterBatches, batchesIn, isBatchList } from './import-batches.ts';

export const bulkTypes = { lines: 'application/x-ndjson', csv: 'text/csv' } as const;
export type BulkFormat = keyof typeof bulkTypes;

/**
 * A record, encoded for the store, or the failure of its line. `sent` is the JSON as the client sent it, if that is kept. `batches`
 * is the last line of an import. After a failure with `isFinal` nothing more is read.
 */
export type BulkEntry =
  | { readonly line: number; readonly json: string; readonly sent?: string }
  | { readonly line: number; readonly batches: readonly ImportBatch[] }
  | { readonly line: number; readonly failure: Failure; readonly isFinal: boolean };

/** Reading yields to other requests after this many lines or bytes. */
const yieldAfter = { lines: 500, bytes: 256 * 1024 };
/** The same for CSV, whose rows can be very short. */
const csvBytes = 16 * 1024;

/** Fewer bytes than `most` if patterns are slow: one turn stays within the pattern limit of one and a half records, at one byte per character. */
function bytesOf({ fields }: Collection, most: number): number {
  const words = Math.max(1, ...Object.values(fields).map((field) => field.words ?? 0));
  return Math.min(most, Math.floor(maxWords / 2 / words));
}

/** The format by Content-Type; undefined for any other type. Throws `unsupported_media_type` for a CSV variant that is not supported. */
export function bulkFormatOf(request: Incoming): BulkFormat | undefined {
  const [type = '', ...parameters] = (request.header('content-type') ?? '').toLowerCase().split(';');
  if (type.trim() === bulkTypes.lines) return 'lines';
  if (type.trim() !== bulkTypes.csv) return undefined;
  for (const parameter of parameters) {
    const [, name, value = ''] = /^\s*(charset|header)\s*=\s*"?([^"\s]*)"?\s*$/.exec(parameter) ?? [];
    if (name === 'charset' && value !== 'utf-8' && value !== 'utf8')
      throw unsupported(`The charset ${value} is not supported: send CSV in UTF-8.`);
    if (name === 'header' && value !== 'present')
      throw unsupported('CSV without a header row is not supported: send a first row with the names of the fields.');
  }
  return 'csv';
}

function unsupported(detail: string): Failure {
  return new Failure('unsupported_media_type', { detail });
}

export type BulkLimits = {
  /** Parses each line, and bounds its size. */
  readonly bodies: Bodies;
  /** The limit for all lines together, in bytes. */
  readonly maxBulk: number;
};

/** `isImport`: the last line lists batches. */
export type BulkBody = {
  readonly format: BulkFormat;
  readonly isImport: boolean;
  readonly call: Pick<Call, 'request' | 'requester' | 'access'>;
};
type BulkReading = BulkLimits & {
  /** Entries have what was sent for them, for an Idempotency-Key. */
  readonly keepsSent: boolean;
  /** The fields of a unique rule: entries are keyed texts. */
  readonly key?: readonly string[] | undefined;
};

/** Yields entries in groups; the caller yields to other requests after each group. */
export function bulkEntries(
  { format, isImport, call }: BulkBody,
  collection: Collection,
  limits: BulkReading,
): AsyncGenerator<readonly BulkEntry[]> {
  if (format === 'lines') return jsonEntries(call, isImport, collection, limits);
  if (isImport) throw unsupported(`An import is sent as ${bulkTypes.lines}, and not as CSV.`);
  const entries = csvEntries(
    call.request.body,
    collection,
    call.access === undefined ? limits : { ...limits, key: limits.key ?? [] },
  );
  return call.access === undefined ? entries : completedEntries(entries, collection, limits.key);
}

/** Rows of a caller with a role, of which only the cells are read as they are: the server sets other fields. */
async function* completedEntries(
  groups: AsyncGenerator<readonly BulkEntry[]>,
  { record }: Collection,
  key: readonly string[] | undefined,
): AsyncGenerator<readonly BulkEntry[]> {
  for await (const group of groups)
    yield group.map((entry) => {
      if (!('json' in entry)) return entry;
      try {
        return { ...entry, json: encodeSent(record, parseJson(readKeyed(entry.json).update), key) };
      } catch (failure) {
        if (!(failure instanceof Failure)) throw failure;
        return { line: entry.line, failure, isFinal: false };
      }
    });
}

async function* csvEntries(
  body: Body,
  collection: Collection,
  { bodies, maxBulk, keepsSent, key }: BulkReading,
): AsyncGenerator<readonly BulkEntry[]> {
  const bytes = bytesOf(collection, csvBytes);
  const records = new CsvRecords(collection, { maxRow: bodies.maxBytes, keepsSent, key });
  for (;;) {
    const piece = await body.take(maxBulk);
    if (piece.length === 0) break;
    for (let at = 0; at < piece.length; at += bytes) yield records.push(piece.subarray(at, at + bytes));
  }
  yield records.end();
}

async function* jsonEntries(
  call: BulkBody['call'],
  isImport: boolean,
  collection: Collection,
  { bodies, maxBulk, keepsSent, key }: BulkReading,
): AsyncGenerator<readonly BulkEntry[]> {
  const { record: shape } = collection;
  const turn = { ...yieldAfter, bytes: bytesOf(collection, yieldAfter.bytes) };
  const members = keepsSent ? withTexts(shape.members) : shape.members;
  let isListed = false;
  for await (const lines of linesOf(call.request.body, bodies.maxBytes, maxBulk, turn)) {
    const entries: BulkEntry[] = [];
    for (const { number: line, bytes } of lines) {
      try {
        if (isListed) throw afterBatches();
        if (isImport && isBatchList(bytes)) {
          isListed = true;
          entries.push({ line, batches: batchesIn(bytes) });
          continue;
        }
        const parsed = bodies.parse([bytes], members, call);
        const sent = parsed instanceof Promise ? await parsed : parsed;
        const json = encodeSent(shape, sent, key);
        entries.push(keepsSent ? { line, json, sent: sentMembers(sent, shape.members.texts) } : { line, json });
      } catch (failure) {
        if (!(failure instanceof Failure)) throw failure;
        entries.push({ line, failure, isFinal: false });
      }
    }
    yield entries;
  }
}

type Line = { readonly number: number; readonly bytes: Buffer<ArrayBuffer> };

/** Yields lines in groups, as they arrive; skips blank ones. */
async function* linesOf(body: Body, maxLine: number, maxBulk: number, turn: typeof yieldAfter): AsyncGenerator<Line[]> {
  let number = 0;
  let lines: Line[] = [];
  let partial: Buffer<ArrayBuffer>[] = [];
  let size = 0;
  /** Since the last yield. */
  let sinceYield = { lines: 0, bytes: 0 };
  function endLine(piece: Buffer<ArrayBuffer>): void {
    const bytes = partial.length === 0 ? piece : Buffer.concat([...partial, piece]);
    partial = [];
    size = 0;
    number++;
    sinceYield.lines++;
    sinceYield.bytes += bytes.length;
    if (bytes.length > maxLine) throw lineTooLong(number, maxLine);
    if (!isBlank(bytes)) lines.push({ number, bytes });
  }

  for (;;) {
    const piece = await body.take(maxBulk);
    if (piece.length === 0) break;
    let start = 0;
    for (let at = piece.indexOf(0x0a); at >= 0; at = piece.indexOf(0x0a, start)) {
      endLine(piece.subarray(start, at));
      start = at + 1;
      if (sinceYield.lines < turn.lines && sinceYield.bytes < turn.bytes) continue;
      yield lines;
      lines = [];
      sinceYield = { lines: 0, bytes: 0 };
    }
    partial.push(piece.subarray(start));
    size += piece.length - start;
    if (size > maxLine) throw lineTooLong(number + 1, maxLine);
    // Copied, because each small piece would pin the buffer that it arrived in.
    if (partial.length > 64 + size / 1024) partial = [Buffer.concat(partial)];
  }
  if (size > 0) endLine(Buffer.alloc(0));
  if (lines.length > 0) yield lines;
}

function isBlank(bytes: Buffer): boolean {
  // Usually the first byte decides.
  for (const byte of bytes) if (byte > 0x20) return false;
  return true;
}

function lineTooLong(line: number, max: number): Failure {
  return new Failure('body_too_large', {
    detail: `Nothing was added. Line ${line} is over the limit of ${max} bytes.`,
  });
}
