/** Whether two declarations of a collection are the same, or let the same records be. */
import type { CollectionDeclaration } from '../domain/record/declaration.ts';
import { plainJson } from '../domain/record/plain-data.ts';
import { searchedFields } from '../domain/record/searched-fields.ts';
import { keysOfChecks } from './rules/check-steps.ts';
import { keyOfRule, outlinesOf } from './rules/unique-steps.ts';

/** Also in texts and in the order of fields. */
export function isSame(one: CollectionDeclaration, other: CollectionDeclaration): boolean {
  return plainJson(one) === plainJson(other);
}

/** Whether records of one fit the other. */
export function isAlike(one: CollectionDeclaration, other: CollectionDeclaration): boolean {
  return essence(one) === essence(other);
}

/** What decides whether a file fits a database: not the order of fields, texts, defaults or indexes. */
function essence(declaration: CollectionDeclaration): string {
  const { fields, contract } = declaration;
  const sorted = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
  const kept = sorted.map(([key, field]) => {
    const {
      title: _,
      description: __,
      was: ___,
      default: ____,
      on_delete: _____,
      unique: ______,
      search: _______,
      ...rest
    } = field;
    return [key, Object.fromEntries(Object.entries(rest).sort())];
  });
  const unique = outlinesOf(declaration).map(keyOfRule).sort();
  const check = [...keysOfChecks(declaration)].sort();
  const searched = searchedFields(declaration).toSorted();
  const search = searched.length === 0 ? {} : { search: searched };
  return plainJson({ fields: Object.fromEntries(kept), contract: Boolean(contract), unique, check, ...search });
}
