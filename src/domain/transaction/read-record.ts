/** Reads the record of an operation. A reference in it may be `{"created":"loan"}`. */
import { type JsonText, kindOf, membersOf, objectOf } from '../../exact/json-text.ts';
import { type Json, parseJson } from '../input/json.ts';
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

/** An id that is right; another one takes its place. */
const anyId = '1';

/** `text` is an object. `parse` throws `invalid_body`. `placeOf` leads to a member, or to the record for none. */
export function readRecord(
  sent: SentOperation,
  created: CreatedRecords,
  { record, references }: Collection,
  text: JsonText,
  parse: (json: Json, unknown: ReadonlySet<string>) => Draft,
  placeOf: (field: string | undefined) => Place,
): ReadRecord | undefined {
  const operations = new Map<string, number>();
  const given = references.length === 0 ? undefined : new Map(membersOf(text));
  const unknown = new Set<string>();
  let isRight = true;
  for (const { field, to } of references) {
    const value = given?.get(field);
    if (value === undefined || kindOf(value) !== 'object') continue;
    given?.set(field, anyId);
    unknown.add(field);
    const operation = created.find(value, to, sent, placeOf(field));
    if (operation === undefined) isRight = false;
    else operations.set(field, operation);
  }
  try {
    const draft = parse(parseJson(given === undefined || unknown.size === 0 ? text : objectOf(given)), unknown);
    return isRight ? { draft, encode: (one) => piecesOf(record.encodeDraft(one), operations) } : undefined;
  } catch (error) {
    return sent.mistakesIn(error, placeOf);
  }
}
