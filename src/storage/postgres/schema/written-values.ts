/** The values of a record that is written, as SQL in the function of its collection. */
import type { Collection } from '../../../domain/record/collection.ts';
import { identifier, literal } from '../../../domain/sql-text.ts';

/** The value of a field. */
export type ValueOf = (field: string) => string;

/** Null for a field that is not sent. */
export function sent({ fields }: Collection, object: '_value' | '_given'): ValueOf {
  return (field) => fields[field]?.postgres.fromJson(object, field) ?? 'null';
}

/** The new record is in _value. */
export function ofNew(collection: Collection): ValueOf {
  return sent(collection, '_value');
}

/** What is sent is in _given, and the record before the update in _old. */
export function afterUpdate(collection: Collection): ValueOf {
  const given = sent(collection, '_given');
  return (field) =>
    `(case when _given->${literal(field)} is null then _old.${identifier(field)} else ${given(field)} end)`;
}

/** Compared as the column is: a text has its collation. */
export function asColumn({ fields }: Collection, of: ValueOf): ValueOf {
  return (field) => `((${of(field)})::${fields[field]?.postgres.column})`;
}
