/** Reads the record of an operation. A reference in it may be `{"created":"loan"}`. */
import { isObject, type Json, withValues } from '../input/json.ts';
import type { Collection } from '../record/collection.ts';
import type { Draft } from '../record/record.ts';
import type { RecordPieces } from '../store/operation.ts';
import type { CreatedRecords } from './created-records.ts';
import { piecesOf } from './record-pieces.ts';
import type { Place, SentOperation } from './sent-operation.ts';

export type ReadRecord = {
  readonly draft: Draft;
  /** The record, or some fields of it, encoded. */
  encode(draft: Draft): RecordPieces;
};

/** An id that is right. */
const anyId = 1;

/** `json` is an object. `parse` throws `invalid_body`. `placeOf` leads to a member, or to the record for none. */
export function readRecord(
  sent: SentOperation,
  created: CreatedRecords,
  { record, references }: Collection,
  json: Json,
  parse: (json: Json, unknown: ReadonlySet<string>) => Draft,
  placeOf: (field: string | undefined) => Place,
): ReadRecord | undefined {
  const values = json.value as Readonly<Record<string, unknown>>;
  const operations = new Map<string, number>();
  const unknown = new Set<string>();
  for (const { field, to } of references) {
    const value = values[field];
    if (!isObject(value)) continue;
    unknown.add(field);
    const operation = created.find(value, to, sent, placeOf(field));
    if (operation !== undefined) operations.set(field, operation);
  }
  const isRight = operations.size === unknown.size;
  const ids = Object.fromEntries([...unknown].map((field) => [field, anyId]));
  try {
    const draft = parse(unknown.size === 0 ? json : withValues(json, ids), unknown);
    return isRight ? { draft, encode: (one) => piecesOf(record.encodeDraft(one), operations) } : undefined;
  } catch (error) {
    return sent.mistakesIn(error, placeOf);
  }
}
