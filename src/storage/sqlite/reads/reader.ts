/** One collection read from SQLite, as encoded JSON. */
import type { Database } from 'bun:sqlite';
import type { Bytes } from '../../../domain/bytes.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import type { Stored } from '../../../domain/record/record.ts';
import type { RecordPage } from '../../../domain/store/page.ts';
import { bytesAtOnce } from '../../bytes-at-once.ts';
import type { Meta } from '../memory/layout.ts';
import { readStatements } from '../statements/collection-sql.ts';
import { type Columns, unbinder } from '../statements/values.ts';

type MetaColumns = { seq: bigint; version: bigint; created_at: string; updated_at: string };

/** A record for the cache; `contractId` is undefined if the collection has none. */
export type Read = Meta & { readonly contractId: bigint | undefined; readonly json: string };
export type Reader = ReturnType<typeof openReader>;

const encoder = new TextEncoder();
/** Characters in one part of a list, about a millisecond of work; the last record of a part may exceed it. */
const partLength = 32 * 1024;

function sizeOf(stored: Columns): number {
  let bytes = 0;
  for (const value of Object.values(stored)) bytes += typeof value === 'string' ? value.length : 8;
  return bytes;
}

export function openReader(db: Database, collection: Collection) {
  const { contract } = collection;
  const sql = readStatements(collection);
  const page = db.prepare<Columns & MetaColumns, [number, number]>(sql.page).safeIntegers(true);
  const find = contract === undefined ? undefined : db.prepare<Columns, [bigint]>(sql.find).safeIntegers(true);
  const last = db.prepare<{ seq: number | null }, []>(sql.last);
  const get = db.prepare<Columns & MetaColumns, [number]>(sql.get).safeIntegers(true);
  const unbind = unbinder(collection.fields);
  const encode = (stored: Columns) => collection.encode(unbind(stored));

  function decode({
    seq: recordId,
    version,
    created_at: createdAt,
    updated_at: updatedAt,
    ...row
  }: Columns & MetaColumns): Stored {
    return { recordId: Number(recordId), version: Number(version), createdAt, updatedAt, row: unbind(row) };
  }

  function readOf(stored: Columns & MetaColumns): Read {
    return {
      recordId: Number(stored.seq),
      version: Number(stored.version),
      created: Date.parse(stored.created_at),
      updated: Date.parse(stored.updated_at),
      contractId: contract === undefined ? undefined : (stored.id as bigint),
      json: encode(stored),
    };
  }

  return {
    /** At most `limit` records after `recordId`, in insertion order. */
    after: (recordId: number, limit: number): Read[] => page.all(recordId, limit).map(readOf),

    /** The highest record id; 0 without records. */
    last: (): number => last.get()?.seq ?? 0,

    find(contractId: bigint): Bytes | undefined {
      const stored = find?.get(contractId) ?? null;
      return stored === null ? undefined : encoder.encode(encode(stored));
    },

    /** The record with this record id. */
    read(recordId: number): Read | undefined {
      const stored = get.get(recordId);
      return stored === null ? undefined : readOf(stored);
    },

    get(recordId: number): Stored | undefined {
      const stored = get.get(recordId);
      return stored === null ? undefined : decode(stored);
    },

    /** In the order of `recordIds`; `more` if the records are so large that the rest is not read. */
    some(recordIds: readonly number[]): RecordPage {
      const records: Stored[] = [];
      let bytes = 0;
      for (const recordId of recordIds) {
        if (bytes > bytesAtOnce) return { records, more: true };
        const stored = get.get(recordId);
        if (stored === null) continue;
        bytes += sizeOf(stored);
        records.push(decode(stored));
      }
      return { records, more: false };
    },

    /** The list in parts, read lazily. */
    *parts(): Generator<Bytes, void> {
      using all = db.prepare<Columns, []>(sql.all).safeIntegers(true);
      let text = '';
      let lead = '[';
      for (const stored of all.iterate()) {
        text += lead + encode(stored);
        lead = ',';
        if (text.length < partLength) continue;
        yield encoder.encode(text);
        text = '';
      }
      yield encoder.encode(`${text}${lead === '[' ? '[' : ''}]`);
    },

    close(): void {
      for (const statement of [page, last, find, get]) statement?.finalize();
    },
  };
}
