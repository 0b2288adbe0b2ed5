/**
 * A record of a bulk with a key, as one line of text: the fields to update in the record that has the key, and the record to create if there is none. Encoded
 * drafts have no tab: where JSON has one, it is escaped.
 */
import type { Json } from '../input/json.ts';
import type { RecordShape } from './record.ts';

export type KeyedText = {
  /** The fields that were sent. */
  readonly update: string;
  /** The whole record, or the required fields that it lacks. */
  readonly create: string | readonly string[];
};

const separator = '\t';

/** A record of a bulk. `key` are the fields of a unique rule, if it has a key. Throws `invalid_body`. */
export function encodeSent(shape: RecordShape, json: Json, key: readonly string[] | undefined): string {
  if (key === undefined) return shape.encodeDraft(shape.parseExported(json));
  const sent = shape.parseKeyed(json, key);
  const whole = shape.completed(sent);
  const create = 'lacking' in whole ? whole.lacking : shape.encodeDraft(whole);
  return keyedLine({ update: shape.encodeDraft(sent), create });
}

export function keyedLine({ update, create }: KeyedText): string {
  if (create === update) return update;
  return `${update}${separator}${typeof create === 'string' ? create : JSON.stringify(create)}`;
}

export function readKeyed(line: string): KeyedText {
  const [update = '', create = update] = line.split(separator);
  return { update, create: create.startsWith('[') ? (JSON.parse(create) as string[]) : create };
}
