/** Streams a whole filtered list in a format for other programs: CSV (RFC 4180), or one JSON record per line. */

import { seenIn, type View } from '../../domain/access/view.ts';
import type { Bytes } from '../../domain/bytes.ts';
import type { Query } from '../../domain/input/query.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { type Stored, valuesOf } from '../../domain/record/record.ts';
import type { Requester } from '../../domain/store/client.ts';
import type { Reads } from '../../domain/store/reads.ts';
import { writeCell } from '../../exact/csv-cell.ts';
import type { Reply } from '../../wire/answer/reply.ts';
import type { Incoming } from '../../wire/request/incoming.ts';
import { typeChooser } from '../route/accept.ts';
import { compressParts, streamEncodingFor } from '../route/compress.ts';

export const csvType = 'text/csv; charset=utf-8; header=present';

export type Format = 'text/csv' | 'application/x-ndjson';

/** Fewer rows than this usually fit into few packets, and are not compressed unless they are large. */
const worthCompressing = 10;
const packets = 16 * 1024;
const encoder = new TextEncoder();

const chooseForm = typeChooser<Format | 'application/json'>(['application/json', 'text/csv', 'application/x-ndjson']);

/** For the path that serves only exports. */
export const exportFormatOf = typeChooser<Format>(['text/csv', 'application/x-ndjson']);

/** Undefined if the client prefers a page of JSON. */
export function formatOf(request: Incoming): Format | undefined {
  const form = chooseForm(request);
  return form === 'application/json' ? undefined : form;
}

/** As of one moment. The next part is read when the reader has room for it, so memory does not grow with the list. */
export async function exportReply(
  view: View,
  reads: Reads,
  requester: Requester,
  query: Query,
  format: Format,
  request: Incoming,
): Promise<Reply> {
  const collection = seenIn(view);
  const all = [...collection.columns.keys()];
  const columns = all.filter((column) => query.fields?.includes(column) ?? true);
  const write = format === 'text/csv' ? csvRow(columns) : jsonLine(collection, query);
  let rows = 0;
  let head = format === 'text/csv' ? `${columns.join(',')}\r\n` : '';
  const encode = (records: readonly Stored[]) => {
    const part = encoder.encode(head + records.map(write).join(''));
    rows += records.length;
    head = '';
    return part;
  };
  const parts = reads.stream(view, query, encode, requester);
  // A failure of the first part is still an answer with its own status.
  let read: IteratorResult<Bytes, void> | undefined = await parts.next();
  const short = rows < worthCompressing && (read.value?.length ?? 0) < packets;
  const body: AsyncIterator<Bytes, void> = {
    next() {
      const first = read;
      read = undefined;
      return first === undefined ? parts.next() : Promise.resolve(first);
    },
    return: () => parts.return(),
  };
  const type = format === 'text/csv' ? csvType : format;
  const headers = { 'Content-Type': type, Vary: 'Accept, Accept-Encoding' };
  const encoding = short ? undefined : streamEncodingFor(request);
  if (encoding === undefined) return { status: 200, headers, body, size: undefined };
  const compressed = compressParts(body, encoding);
  return { status: 200, headers: { ...headers, 'Content-Encoding': encoding }, body: compressed, size: undefined };
}

function jsonLine(collection: Collection, { fields }: Query): (stored: Stored) => string {
  const shape = collection.record;
  const encode = fields === undefined ? shape.encode : shape.encodeOnly(fields);
  return (stored) => `${encode(stored)}\n`;
}

function csvRow(columns: readonly string[]): (stored: Stored) => string {
  return (stored) => {
    const record = valuesOf(stored);
    return `${columns.map((column) => writeCell(record[column] ?? null)).join(',')}\r\n`;
  };
}
