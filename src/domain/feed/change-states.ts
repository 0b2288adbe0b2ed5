/** The values of a record before and after a change, for filters. */

import { type JsonText, kindOf, membersOf } from '../../exact/json-text.ts';
import type { Collection } from '../record/collection.ts';
import { recordedMembers } from '../record/record.ts';
import { type Field, type FieldValue, filterKind } from '../types/type.ts';
import { type TextForms, textForms } from '../where/text-forms.ts';
import type { Change } from './change.ts';

/**
 * By their names in the production API. A field is missing if its value is not known: the change was recorded under another declaration, or by a release
 * that did not store the state before an update.
 */
export type KnownValues = Readonly<Record<string, FieldValue>>;

/** Undefined where there is no record. All filters share the forms of the texts. */
export type States = {
  readonly before: KnownValues | undefined;
  readonly after: KnownValues | undefined;
  readonly forms: TextForms;
};

export function statesOf({ type, collection, record, before }: Change): States {
  const values: Record<string, FieldValue> = {};
  read(collection, collection.record.encodeRecorded(record), values);
  const forms = textForms();
  if (type === 'created') return { before: undefined, after: values, forms };
  if (type === 'deleted') return { before: values, after: undefined, forms };
  if (before === undefined) return { before: constantOf(values), after: values, forms };
  const earlier = { ...values };
  read(collection, `{${recordedMembers(before)}}`, earlier);
  return { before: earlier, after: values, forms };
}

/** What no update changes. */
function constantOf({ id, created_at }: KnownValues): KnownValues {
  return id === undefined || created_at === undefined ? {} : { id, created_at };
}

/** The values of these fields in a record as the production API returns it. */
export function knownValues(collection: Collection, record: JsonText, fields: ReadonlySet<string>): KnownValues {
  const values: Record<string, FieldValue> = {};
  read(collection, record, values, fields);
  return values;
}

/** Members that are no fields any more are ignored. */
function read(
  { columns }: Collection,
  record: JsonText,
  into: Record<string, FieldValue>,
  only?: ReadonlySet<string>,
): void {
  for (const [key, text] of membersOf(record)) {
    if (only?.has(key) === false) continue;
    const field = columns.get(key)?.field;
    const value = field === undefined ? undefined : valueIn(field, text);
    if (value === undefined) delete into[key];
    else into[key] = value;
  }
}

/** Undefined for a value of another type. Its bounds do not matter: they may have been others. */
function valueIn({ takesText, filter }: Field, text: JsonText): FieldValue | undefined {
  const kind = kindOf(text);
  if (kind === 'null') return null;
  if (takesText) return filter.elements === undefined || kind === 'array' ? text : undefined;
  if (kind !== filterKind(filter)) return undefined;
  return filter.parse(kind === 'string' ? JSON.parse(text) : text);
}
