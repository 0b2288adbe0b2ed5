/** What is in the way of a record that is written, in the function of its collection. The record after the write is in _new. */
import type { Collection } from '../../../domain/record/collection.ts';
import { identifier, literal } from '../../../domain/sql-text.ts';
import { brokenByWrite } from './broken.ts';
import { takenByNew, takenByUpdate } from './taken.ts';
import { ofNew } from './written-values.ts';

export function isChecked({ unique, checks, references }: Collection): boolean {
  return unique.length > 0 || checks.length > 0 || references.length > 0;
}

/** The clashes of a new record, separated by commas; null for none. What is sent is in _value. */
export function clashesOfNew(collection: Collection): string {
  const taken = collection.unique.map((rule) => takenByNew(collection, rule));
  return clashes(collection, taken, (field) => `${ofNew(field)} is not null`, '_value');
}

/** The same for an update. What is sent is in _given: a reference that was there before leads to a record. */
export function clashesOfUpdate(collection: Collection): string {
  const taken = collection.unique.map((rule) => takenByUpdate(collection, rule));
  const isSent = (field: string) => `_given->>${literal(field)} is not null`;
  return clashes(collection, taken, isSent, '_given');
}

/** The other records matter only to one that is right by itself. */
function clashes(
  collection: Collection,
  taken: readonly string[],
  isSet: (field: string) => string,
  object: '_value' | '_given',
): string {
  const broken = collection.checks.map((rule) => brokenByWrite(collection, rule, ofNew));
  const missing = collection.references.map(
    ({ field, to }) =>
      `case when ${isSet(field)} and not exists (select from ${identifier(to)} where seq = ${ofNew(field)})
         then json_build_object('missing', ${literal(field)}, 'to', ${literal(to)}, 'id', ${object}->>${literal(field)})::text end`,
  );
  const [first, second] = [joined(broken), joined([...taken, ...missing])];
  return broken.length === 0 ? second : `coalesce(${first}, ${second})`;
}

/** Null if all of them are. */
function joined(texts: readonly string[]): string {
  return `nullif(array_to_string(array[${texts.join(', ')}]::text[], ','), '')`;
}
