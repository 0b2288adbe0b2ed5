/** The values and the words of a record that is written, as SQL in the function of its collection. */
import type { Collection } from '../../../domain/record/collection.ts';
import { identifier, literal } from '../../../domain/sql-text.ts';
import { wordsColumn } from '../../word-index.ts';

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

/** The words of the searched fields, from an object that has them as text. */
export function wordsIn({ searched }: Pick<Collection, 'searched'>, object: string): string[] {
  return searched.map((field) => wordsOf(field, object));
}

/** What is sent is in _given. A field that was not sent keeps its words. `before` is a name of the record before the update, with a dot. */
export function changedWords(
  { searched }: Pick<Collection, 'searched'>,
  object: string,
  before: '' | '_old.' = '',
): string[] {
  return searched.map((field) => {
    const column = identifier(wordsColumn(field));
    return `${column} = case when _given->${literal(field)} is null then ${before}${column} else ${wordsOf(field, object)} end`;
  });
}

function wordsOf(field: string, object: string): string {
  return `(${object}->>${literal(field)})::tsvector`;
}
