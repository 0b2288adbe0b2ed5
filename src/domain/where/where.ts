/** The filter language, checked: conditions on the records of one collection. `docs/queries.md` explains it. */
import type { Column } from '../record/record.ts';
import type { Field, FieldValue, Operator } from '../types/type.ts';
import { lookupsOf } from '../words/split.ts';

/** What conditions depend on in a collection, which can have conditions itself. */
export type Filterable = {
  readonly name: string;
  readonly columns: ReadonlyMap<string, Column>;
  readonly references: readonly { readonly field: string; readonly to: string }[];
  readonly searched: readonly string[];
  /** What a caller with a role sees of a collection `of`, whose fields are these: the records that meet `where`, which may be on others. */
  readonly sight?: { readonly of: Filterable; readonly where: Where };
};

/** All of them must hold. */
export type Where = readonly Condition[];

export type Condition = Filter | AnyOf | Not;

/** At least one of them must hold. */
export type AnyOf = { readonly any: readonly Where[] };

/** Holds if the conditions do not, so also where a comparison with null is not true. */
export type Not = { readonly not: Where };

/** A comparison of one field. */
export type Filter = {
  readonly field: string;
  readonly operator: Operator;
  /** The value of `is` is `null` or `set`. */
  readonly values: readonly FieldValue[];
  /** Compares with this field of the same record instead of a value. */
  readonly other?: string;
  /** Of `words`: the fields that the words may be in. */
  readonly among?: readonly string[];
  /** The references that lead to the record with the field; absent if it is the record itself. */
  readonly via?: readonly Step[];
};

/** A reference, and the collection of the record that it names. A record that does not meet `where` counts as missing. */
export type Step = { readonly field: string; readonly to: Filterable; readonly where?: Where };

/** Values in all filters together: more than a client needs, fewer than the limit of any engine. */
export const maxConditions = 100;

/** The name that stands for all fields whose words are indexed. */
export const everySearched = 'words';

/** The references in a path. */
export const maxSteps = 2;

/** `any`, `all` and `not` within each other. */
export const maxLevels = 5;

/** The most UTF-16 units that a text has which is compared without case. */
export const maxFolded = 1000;

/** UTF-16 units in all texts together: engines look for each of them at every place of a stored text, which can be as long as a body. */
export const maxText = 16_384;

/** UTF-16 units in all texts of `contains_ci` together, which take longer than those of `contains`. */
export const maxContainedFolded = 300;

/** The operators that can compare with another field. */
export const betweenFields: readonly Operator[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'];

/** The operators that a field can be filtered by. */
export function operatorsOf({ filter: { operators }, declared }: Field): readonly Operator[] {
  return declared.optional ? [...operators, 'is'] : operators;
}

export function isFilter(condition: Condition): condition is Filter {
  return 'field' in condition;
}

/** Every comparison, however deep. */
export function filtersIn(where: Where): readonly Filter[] {
  return where.flatMap((condition) =>
    isFilter(condition) ? condition : ('any' in condition ? condition.any : [condition.not]).flatMap(filtersIn),
  );
}

/** The comparisons of a field of the record itself with values, which an index can answer. */
export function directFilters(where: Where): readonly Filter[] {
  return where.filter(isFilter).filter(({ other, via }) => other === undefined && via === undefined);
}

/**
 * The values in all conditions together. A condition without values counts as one, because engines limit how many conditions a statement has:
 * a comparison with a field, an empty list of values, an empty object.
 */
export function valuesIn(where: Where): number {
  return where.reduce((sum, condition) => {
    if (isFilter(condition)) return sum + Math.max(1, amountIn(condition));
    const inner = 'any' in condition ? condition.any : [condition.not];
    const values = inner.reduce((more, one) => more + Math.max(1, valuesIn(one)), 0);
    return sum + Math.max(1, values);
  }, 0);
}

/** Each word is looked up for itself. */
function amountIn({ operator, values }: Filter): number {
  return operator === 'words' ? lookupsOf(String(values[0])).length : values.length;
}

type Excess = { readonly found: number; readonly most: number; readonly what: string };

/** What all conditions together have too much of. */
export function excessIn(where: Where): Excess | undefined {
  const texts = filtersIn(where).flatMap(({ operator, values }) =>
    values.map((value) => ({ operator, length: typeof value === 'string' ? value.length : 0 })),
  );
  const unitsIn = (some: typeof texts) => some.reduce((sum, { length }) => sum + length, 0);
  const contained = texts.filter(({ operator }) => operator === 'contains_ci');
  const amounts = [
    { found: valuesIn(where), most: maxConditions, what: 'values' },
    { found: unitsIn(texts), most: maxText, what: 'characters' },
    { found: unitsIn(contained), most: maxContainedFolded, what: 'characters in contains_ci' },
  ];
  return amounts.find(({ found, most }) => found > most);
}

/** The fields of the record itself that the conditions compare. */
export function fieldsIn(where: Where): readonly string[] {
  const fields = where.flatMap((condition) => {
    if (!isFilter(condition)) return ('any' in condition ? condition.any : [condition.not]).flatMap(fieldsIn);
    const { via: [step] = [], field, other, among } = condition;
    if (step !== undefined) return [step.field];
    if (among !== undefined) return among;
    return other === undefined ? [field] : [field, other];
  });
  return [...new Set(fields)];
}

/** The same text for the same conditions in any order. */
export function whereText(where: Where): string {
  return `[${where.map(conditionText).sort().join()}]`;
}

function conditionText(condition: Condition): string {
  if (!isFilter(condition))
    return 'any' in condition
      ? `{"any":[${condition.any.map(whereText).sort().join()}]}`
      : `{"not":${whereText(condition.not)}}`;
  const { via, ...filter } = condition;
  const path = via?.map(({ field }) => field);
  return JSON.stringify({ ...filter, via: path }, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
}
