/** Rows of the change table, the same in every engine. */
import type { Collection } from '../../domain/collection.ts';
import { parseJson } from '../../domain/json.ts';
import type { Change } from '../../domain/store.ts';

/** Changes deleted in one transaction: few enough that no write waits long behind it. */
export const trimmedAtOnce = 5000;

/** Columns: seq, collection, type, record_seq, version, created_at, at, updated_at, record */
export type ChangeRow = readonly (string | number | bigint | null)[];

export function changesOf(collections: readonly Collection[], rows: readonly ChangeRow[]): Change[] {
  const byName = new Map(collections.map((collection) => [collection.name, collection]));
  return rows.map((row) => {
    const [seq, name, type, recordSeq, version, createdAt, at, updatedAt, record] = row;
    const collection = byName.get(String(name));
    if (collection === undefined) throw new Error(`change ${seq} belongs to an unknown collection: ${name}`);
    const stored = {
      seq: Number(recordSeq),
      version: Number(version),
      createdAt: String(createdAt),
      updatedAt: String(updatedAt ?? at),
      row: collection.parse(parseJson(String(record))),
    };
    return { seq: Number(seq), type: type as Change['type'], at: String(at), collection, record: stored };
  });
}
