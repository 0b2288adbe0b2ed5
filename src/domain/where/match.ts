/** The filter language for a record in memory. */

import { compareText } from '../../exact/compare.ts';
import type { Field, FieldValue, Operator, SetValue, SqliteValue } from '../types/type.ts';
import { lookupsOf } from '../words/split.ts';
import { areFound } from '../words/words.ts';
import { folded } from './case-folding.ts';
import { madeAnew, type TextForms } from './text-forms.ts';
import { type Condition, everySearched, type Filter, type Filterable, isFilter, type Where } from './where.ts';

/** What a comparison of a field depends on. */
export type Comparable = {
  readonly sqlite: Pick<Field['sqlite'], 'bind'>;
  readonly filter: Pick<Field['filter'], 'elements'>;
};

/** The fields that conditions compare. */
export type Comparables = { readonly columns: ReadonlyMap<string, { readonly field: Comparable }> };

/** The values of a record by their names in the production API. */
export type Values = Readonly<Record<string, FieldValue>>;

/** The record of a collection with this id; undefined if there is none. */
export type Lookup = (collection: Filterable, recordId: number) => Values | undefined;

/** `forms` are shared by all that look at the record, or at what it was before. */
export type Matcher = (values: Values, forms?: TextForms) => boolean;

/** `lookUp` finds the records that paths lead to. */
export function matcher(collection: Comparables, where: Where, lookUp: Lookup = () => undefined): Matcher {
  const parts = where.map((condition) => conditionMatcher(collection, condition, lookUp));
  return (values, forms = madeAnew) => parts.every((part) => part(values, forms));
}

function conditionMatcher(collection: Comparables, condition: Condition, lookUp: Lookup): Matcher {
  if (isFilter(condition)) return pathMatcher(collection, condition, lookUp);
  if ('any' in condition) {
    const parts = condition.any.map((where) => matcher(collection, where, lookUp));
    return (values, forms) => parts.some((part) => part(values, forms));
  }
  const inner = matcher(collection, condition.not, lookUp);
  return (values, forms) => !inner(values, forms);
}

function pathMatcher(collection: Comparables, { via = [], ...filter }: Filter, lookUp: Lookup): Matcher {
  const [step, ...rest] = via;
  if (step === undefined) return filterMatcher(collection, filter);
  const inner = pathMatcher(step.to, { ...filter, via: rest }, lookUp);
  const isSeen = matcher(step.to, step.where ?? [], lookUp);
  return (values, forms) => {
    const recordId = values[step.field] ?? null;
    const found = recordId === null ? undefined : lookUp(step.to, Number(recordId));
    return found !== undefined && isSeen(found, forms) && inner(found, forms);
  };
}

function filterMatcher(collection: Comparables, filter: Filter): Matcher {
  const { field: key, operator, values: wanted, other } = filter;
  if (operator === 'words') return wordsMatcher(filter);
  const field = collection.columns.get(key)?.field;
  if (field === undefined) throw new Error(`there is no field ${key}`);
  if (operator === 'is') return (values) => ((values[key] ?? null) === null) === (wanted[0] === 'null');
  const test = testOf(field, operator);
  const tests = wanted.map((one) => (one === null ? () => false : test(one)));
  return (values, forms = madeAnew) => {
    const [value = null, than = null] = [values[key], other === undefined ? null : values[other]];
    if (value === null) return false;
    return other === undefined ? tests.some((holds) => holds(value, forms)) : than !== null && test(than)(value, forms);
  };
}

/** A null text does not match, even if there is nothing to look for. */
function wordsMatcher({ field, values: [query], among = [field] }: Filter): Matcher {
  const lookups = lookupsOf(String(query));
  return (values, forms = madeAnew) => {
    const texts = among.flatMap((key) => values[key] ?? []);
    if (texts.length === 0) return field === everySearched && lookups.length === 0;
    return areFound(
      lookups,
      texts.map((text) => forms.words(String(text))),
    );
  };
}

/** A function of what is wanted, so that this is prepared once for many records. */
function testOf(
  { sqlite, filter: { elements } }: Comparable,
  operator: Operator,
): (wanted: SetValue) => (value: SetValue, forms: TextForms) => boolean {
  const ordered = (isRight: (order: number) => boolean) => (wanted: SetValue) => {
    const bound = sqlite.bind(wanted);
    return (value: SetValue) => isRight(compareStored(sqlite.bind(value), bound));
  };
  switch (operator) {
    case 'contains':
      return (wanted) => (value) => String(value).includes(String(wanted));
    case 'starts_with':
      return (wanted) => (value) => String(value).startsWith(String(wanted));
    case 'contains_ci':
      return (wanted) => {
        const part = folded(String(wanted));
        return (value, forms) => forms.folded(String(value)).includes(part);
      };
    case 'eq_ci':
      return (wanted) => {
        const text = folded(String(wanted));
        return (value, forms) => forms.folded(String(value)) === text;
      };
    case 'has':
      return (wanted) => (value, forms) =>
        elements !== undefined && forms.elements(String(value), elements).has(String(wanted));
    case 'eq':
    case 'in':
      return ordered((order) => order === 0);
    case 'ne':
      return ordered((order) => order !== 0);
    case 'gt':
      return ordered((order) => order > 0);
    case 'gte':
      return ordered((order) => order >= 0);
    case 'lt':
      return ordered((order) => order < 0);
    case 'lte':
      return ordered((order) => order <= 0);
    // Not compared by value: see filterMatcher.
    case 'is':
    case 'words':
      return () => () => true;
  }
}

/** The order of both engines: text by its UTF-8 bytes, integers and doubles by their values. */
export function compareStored(one: SqliteValue, other: SqliteValue): number {
  if (typeof one === 'string' && typeof other === 'string') return compareText(one, other);
  return one < other ? -1 : one > other ? 1 : 0;
}
