/** The field that a filter names: one of the record itself, or `author.country`, of a record that it refers to. */
import { isSameType } from '../types/all-types.ts';
import type { Field, Refusal } from '../types/type.ts';
import { type Filterable, maxSteps, type Step } from './where.ts';

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
    via.push({ field, to });
    of = to;
  }
  const field = of.columns.get(key)?.field;
  if (field === undefined)
    return {
      refused: `unknown field; ${keys.length === 0 ? 'known' : `${of.name} has the`} fields: ${[...of.columns.keys()].join(', ')}`,
    };
  return { of, key, field, ...(via.length === 0 ? {} : { via }) };
}

/** The other fields of a record that a field can be compared with. */
export function comparableWith({ columns }: Filterable, key: string): readonly string[] {
  const field = columns.get(key)?.field;
  if (field?.filter.operators.includes('eq') !== true) return [];
  return [...columns].filter(([name, other]) => name !== key && isSameType(field, other.field)).map(([name]) => name);
}
