/** The values and the words of a record that is written, as SQL in the function of its collection. */
import type { Collection } from '../../../domain/record/collection.ts';
import { identifier, literal } from '../../../domain/sql-text.ts';
import { wordsColumn } from '../../word-index.ts';
import type { Shape } from '../statements/table-sql.ts';

/** The value of a field. */
export type ValueOf = (field: string) => string;

/** The record after the write is in _new. */
export const ofNew: ValueOf = (field) => `_new.${identifier(field)}`;

/** Puts a new record into _new. It is in _value. */
export function takeNew({ fields }: Shape): string {
  return Object.entries(fields)
    .map(([key, { postgres }]) => `\n          _new.${identifier(key)} := ${postgres.fromJson('_value', key)};`)
    .join('');
}

/** Puts a record after an update into _new. What is sent is in _given, and the record before in _old. A field that was not sent keeps its value. */
export function takeUpdate({ fields }: Shape): string {
  return Object.entries(fields)
    .map(
      ([key, { postgres }]) => `
          _new.${identifier(key)} := case when _given->${literal(key)} is null then _old.${identifier(key)} else ${postgres.fromJson('_given', key)} end;`,
    )
    .join('');
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
