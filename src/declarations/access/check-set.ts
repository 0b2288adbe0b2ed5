/** Checks the fields that the server sets for a role. */

import { isObject } from '../../domain/input/json.ts';
import { suggestion } from '../../domain/input/suggest.ts';
import type { Plain } from '../../domain/record/declaration.ts';
import { plainValue } from '../../domain/record/row.ts';
import type { Where } from '../../domain/where/where.ts';
import { type Mistakes, pathTo, shown } from '../mistakes.ts';
import type { Place } from './check-condition.ts';
import { isRequestValue, requestValueMistake } from './rule-values.ts';

export function checkSet(
  set: unknown,
  { subject }: Place,
  known: readonly string[],
  path: string,
  mistakes: Mistakes,
): void {
  if (!isObject(set) || Object.keys(set).length === 0)
    return void mistakes.add(path, `must be an object with a value for each field, not ${shown(set)}`);
  for (const [key, value] of Object.entries(set)) {
    const place = pathTo(path, key);
    const field = known.includes(key) ? subject.columns.get(key)?.field : undefined;
    if (field === undefined) {
      if (!Object.hasOwn(subject.declared.fields, key))
        mistakes.add(place, `there is no field that can be set${suggestion(key, known)}`);
      continue;
    }
    if (value === null) {
      if (!field.declared.optional) mistakes.add(place, 'cannot be null, because the field is not optional');
      continue;
    }
    if (isRequestValue(value)) {
      const mistake = requestValueMistake(value, field);
      if (mistake !== undefined) mistakes.add(place, mistake);
      continue;
    }
    const read = plainValue(value as NonNullable<Plain>, field.read);
    if (typeof read === 'object') mistakes.add(place, read.refused);
  }
}

/** What is known of a record with these values of fields. */
export function valueFilters(set: unknown, { subject }: Pick<Place, 'subject'>): Where {
  if (!isObject(set)) return [];
  return Object.entries(set).flatMap(([field, value]): Where => {
    if (value === null) return [{ field, operator: 'is', values: ['null'] }];
    const compared = subject.columns.get(field)?.field;
    if (isRequestValue(value) || compared?.filter.operators.includes('eq') !== true) return [];
    const read = plainValue(value as NonNullable<Plain>, compared.read);
    return typeof read === 'object' ? [] : [{ field, operator: 'eq', values: [read] }];
  });
}
