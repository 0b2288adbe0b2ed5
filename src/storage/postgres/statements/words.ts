/**
 * The words of a record in PostgreSQL: a column for each searched field, which has them as a `tsvector` that Shelf has split. PostgreSQL alters nothing in
 * it. Null where the text is null.
 */
import type { Collection } from '../../../domain/record/collection.ts';
import { type Identifier, identifier, literal } from '../../../domain/sql-text.ts';
import { wordsOf } from '../../../domain/words/split.ts';
import { wordsColumn } from '../../word-index.ts';

type Searched = Pick<Collection, 'searched'>;

export function wordsColumns({ searched }: Searched): Identifier[] {
  return searched.map((field) => identifier(wordsColumn(field)));
}

/** The text of a `tsvector`. No word has a quote or a backslash. */
export function vectorOf(text: string): string {
  return Array.from(wordsOf(text), literal).join(' ');
}

/** The words of the searched fields that the JSON of a record has, as JSON; undefined if no field is searched. */
export function wordsJsonOf({ searched }: Searched): ((json: string) => string) | undefined {
  if (searched.length === 0) return undefined;
  return (json) => {
    const members = JSON.parse(json) as Readonly<Record<string, unknown>>;
    const texts = searched.flatMap((field) => {
      const text = members[field];
      return typeof text === 'string' ? [[field, vectorOf(text)]] : [];
    });
    return JSON.stringify(Object.fromEntries(texts));
  };
}
