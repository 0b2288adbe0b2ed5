/** What the conditions of access rules are on: all columns of a collection, and the collections that paths lead to. */
import type { CollectionDeclaration, Declarations } from '../../domain/record/declaration.ts';
import { columnsOf, externalId } from '../../domain/record/record.ts';
import { ruleSubject } from '../../domain/record/rule-condition.ts';
import { searchedFields } from '../../domain/record/searched-fields.ts';
import { compileField } from '../../domain/types/all-types.ts';
import type { TargetOf } from '../../domain/where/field-path.ts';
import type { Filterable } from '../../domain/where/where.ts';
import { hasKnownType } from '../check-field.ts';

export type Subject = Filterable & { readonly declared: CollectionDeclaration };
export type Subjects = ReadonlyMap<string, Subject>;

/** Members of a record that the server sets, and that every caller with the right to read sees. */
export const alwaysVisible = ['id', 'version', 'created_at', 'updated_at'];

export function subjectsOf(declarations: Declarations): Subjects {
  return new Map(Object.entries(declarations).map(([name, declared]) => [name, subjectOf(name, declared)]));
}

function subjectOf(name: string, declared: CollectionDeclaration): Subject {
  const known = Object.entries(declared.fields).filter(([, one]) => hasKnownType(one));
  const compiled = Object.fromEntries(known.map(([key, one]) => [key, compileField(one)]));
  const columns = columnsOf(declared.contract ? { id: externalId, ...compiled } : compiled);
  const { references } = ruleSubject(name, declared.fields, columns);
  return { name, columns, references, searched: searchedOf(declared), declared };
}

/** The declaration may have mistakes. */
function searchedOf(declared: CollectionDeclaration): readonly string[] {
  return Array.isArray(declared.search) || declared.search === undefined ? searchedFields(declared) : [];
}

export function targetIn(subjects: Subjects): TargetOf {
  return (name) => subjects.get(name) ?? { refused: `leads to ${name}, which is no collection` };
}

/** What a body may have, if the rule allows it. */
export function sendableFields({ columns }: Subject): readonly string[] {
  return [...columns.keys()].filter((key) => !alwaysVisible.includes(key));
}
