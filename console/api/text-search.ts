/** What the search box of a table looks for: words where the collection indexes them, or else a part of the text that names a record. */
import { type Column, labelFieldOf } from './columns.ts';
import type { Collection } from './declarations.ts';
import type { Filter } from './query.ts';

export type TextSearch = Omit<Filter, 'value'> & {
  /** What it searches, for people. */
  readonly about: string;
};

/** The parameter that stands for all searched fields. It has no operator in brackets. */
const everyWord = { field: 'words', operator: 'eq' };

export function searchedFields({ fields, search = [] }: Collection): readonly string[] {
  return Object.keys(fields).filter((name) => fields[name]?.search === true || search.includes(name));
}

/** Undefined if there is no text to search. */
export function textSearchOf(collection: Collection): TextSearch | undefined {
  const searched = searchedFields(collection);
  if (searched.length > 0) return { ...everyWord, about: `Words in ${searched.join(', ')}` };
  const field = labelFieldOf(collection);
  return field === undefined ? undefined : { field, operator: 'contains_ci', about: `Part of ${field}, any case` };
}

/** For the form of filters: it is no column of the table. */
export function everyWordColumn(collection: Collection): readonly Column[] {
  if (searchedFields(collection).length === 0) return [];
  return [{ name: everyWord.field, field: { type: everyWord.field }, isOwn: true }];
}
