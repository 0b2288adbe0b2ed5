/** The field that a filter names: one of the record itself, or `author.country`, of a record that it refers to. */
import { lazy } from '../lazy.ts';
import { compileField, isSameType } from '../types/all-types.ts';
import type { Field, Operator, Refusal } from '../types/type.ts';
import { everySearched, type Filter, type Filterable, maxSteps, type Step } from './where.ts';

/** `key` is the name in `of`, the collection at the end of the path. */
export type FieldPath = {
  readonly of: Filterable;
  readonly key: string;
  readonly field: Field;
  /** Absent for a field of the record itself. */
  readonly via?: readonly Step[];
};

/**
 * The collection that a path leads to, or why it may not; throws `forbidden` for a caller that may not read it. The refusal follows the path.
 */
export type TargetOf = (name: string) => Filterable | Refusal;

/** The refusal follows the name. */
export function fieldPath(collection: Filterable, name: string, targetOf: TargetOf): FieldPath | Refusal {
  const keys = name.split('.');
  const key = keys.pop() ?? '';
  if (keys.length > maxSteps) return { refused: `leads through more than ${maxSteps} references` };
  const via: Step[] = [];
  let of = collection;
  for (const field of keys) {
    const reference = of.references.find((one) => one.field === field);
    if (reference === undefined) return { refused: `has ${field}, which is no reference of ${of.name}` };
    const to = targetOf(reference.to);
    if ('refused' in to) return to;
    via.push(stepTo(field, to));
    of = to;
  }
  const isEvery = key === everySearched && of.searched.length > 0;
  const field = isEvery ? everyText() : of.columns.get(key)?.field;
  if (field === undefined)
    return {
      refused: `unknown field; ${keys.length === 0 ? 'known' : `${of.name} has the`} fields: ${filterNames(of).join(', ')}`,
    };
  return { of, key, field, ...(via.length === 0 ? {} : { via }) };
}

function stepTo(field: string, to: Filterable): Step {
  return to.sight === undefined ? { field, to } : { field, to: to.sight.of, where: to.sight.where };
}

/** What stands for all fields whose words are indexed. */
const everyText = lazy((): Field => {
  const field = compileField({ type: 'text' });
  return { ...field, filter: { ...field.filter, operators: ['words'] } };
});

/** The names of everything that a filter can be on. */
export function filterNames({ columns, searched }: Filterable): readonly string[] {
  return [...columns.keys(), ...(searched.length > 0 ? [everySearched] : [])];
}

/** The operator of a value alone. */
export function operatorOfValue({ filter: { operators } }: Field): Operator {
  return operators[0] === 'words' ? 'words' : 'eq';
}

/** A filter by words, which has the fields that they may be in. */
export function wordsFilter({ of, key, via }: FieldPath, query: string): Filter {
  const among = key === everySearched ? of.searched : [key];
  return { field: key, operator: 'words', values: [query], among, ...(via === undefined ? {} : { via }) };
}

/** The other fields of a record that a field can be compared with. */
export function comparableWith({ columns }: Filterable, key: string): readonly string[] {
  const field = columns.get(key)?.field;
  if (field?.filter.operators.includes('eq') !== true) return [];
  return [...columns].filter(([name, other]) => name !== key && isSameType(field, other.field)).map(([name]) => name);
}
