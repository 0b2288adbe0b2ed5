/** Rules that no two records of a collection break together: the values of some fields are not the same in both. */
import type { Operator, Refusal } from '../types/type.ts';
import { type Filterable, filtersIn, type Where } from '../where/where.ts';
import type { CollectionDeclaration, Plain } from './declaration.ts';
import { compileCondition, conditionOfRule, type ReadCondition } from './rule-condition.ts';
import { listed } from './rule-text.ts';

/** Holds among the records in which none of the fields is null. */
export type UniqueRule = {
  /** In the order in which the index has them. */
  readonly fields: readonly string[];
  /** And for which this holds; absent for all. It is on declared fields of the record itself. */
  readonly where?: Where;
  /** `where` as JSON, as it is declared. */
  readonly condition?: string;
};

export type DeclaredRule = { readonly fields: readonly string[]; readonly where?: Plain };

/** A unique field is a rule of one field. */
export function declaredRules({ fields, unique = [] }: CollectionDeclaration): readonly DeclaredRule[] {
  return [
    ...Object.keys(fields).flatMap((key): DeclaredRule[] => (fields[key]?.unique ? [{ fields: [key] }] : [])),
    ...unique.map((rule): DeclaredRule => ('fields' in rule ? rule : { fields: rule })),
  ];
}

/** For a declaration without problems. */
export function compileRule({ fields, where }: DeclaredRule, subject: () => Filterable): UniqueRule {
  return where === undefined ? { fields } : { fields, ...compileCondition(subject(), where, whereOfRule) };
}

/** The database holds a rule by an index with its condition: a list can be searched by a subquery alone, and PostgreSQL bounds the size of a condition. */
const heldByIndex: readonly Operator[] = [
  ...(['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'is'] as const),
  ...(['contains', 'starts_with'] as const),
];

export const whereOfRule: ReadCondition = (subject, where, problems) => {
  const read = conditionOfRule(subject, where, problems);
  for (const { field, operator } of filtersIn(read))
    if (!heldByIndex.includes(operator))
      problems.push({
        field,
        message: `an index cannot hold a condition with ${operator}: use ${heldByIndex.join(', ')}`,
      });
  return read;
};

/** The names of the fields that decide whether a record is in the way of another one. */
export function fieldsOfRule({ fields, where = [] }: UniqueRule): ReadonlySet<string> {
  return new Set([
    ...fields,
    ...filtersIn(where).flatMap(({ field, other }) => [field, ...(other === undefined ? [] : [other])]),
  ]);
}

/**
 * The rule that has exactly these fields, in any order. If several have them, the one among all records is meant. The refusal follows
 * the name of the key.
 */
export function ruleOfKey({ name, unique }: Named, fields: readonly string[]): UniqueRule | Refusal {
  const wanted = setText(fields);
  const [first, ...others] = unique
    .filter((rule) => setText(rule.fields) === wanted)
    .sort((one, other) => Number(one.where !== undefined) - Number(other.where !== undefined));
  if (first === undefined)
    return {
      refused:
        unique.length === 0
          ? `cannot be: ${name} has no unique rule`
          : `must have the fields of one unique rule of ${name}: ${[...new Set(unique.map((rule) => listed(rule.fields)))].join('; ')}`,
    };
  if (first.where === undefined || others.length === 0) return first;
  return { refused: `can mean several rules of ${name}, which differ in "where" alone` };
}
/** The fields of each rule that can be a key. */
export function keysOf(collection: Named): readonly (readonly string[])[] {
  const keys = new Map(collection.unique.map(({ fields }) => [setText(fields), fields]));
  return [...keys.values()].filter((fields) => !('refused' in ruleOfKey(collection, fields)));
}

type Named = { readonly name: string; readonly unique: readonly UniqueRule[] };

const setText = (fields: readonly string[]) => JSON.stringify([...fields].sort());

/** The rules among all records, as lists of fields: the index of any other one has only some records. */
export function wholeRules(rules: readonly (UniqueRule | DeclaredRule)[]): readonly (readonly string[])[] {
  return rules.filter(({ where }) => where === undefined).map(({ fields }) => fields);
}
