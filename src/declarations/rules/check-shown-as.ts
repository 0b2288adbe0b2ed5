/** Checks which field names a record for people. */
import { suggestion } from '../../domain/input/suggest.ts';
import { types } from '../../domain/types/all-types.ts';
import { type Mistakes, shown } from '../mistakes.ts';
import type { DeclaredFields } from './check-indexes.ts';

export function checkShownAs(
  value: unknown,
  { fields, named }: DeclaredFields,
  path: string,
  mistakes: Mistakes,
): void {
  if (value === undefined) return;
  if (typeof value !== 'string') mistakes.add(path, `must be a text field, such as "title", not ${shown(value)}`);
  else if (!named.includes(value)) mistakes.add(path, `there is no field ${shown(value)}${suggestion(value, named)}`);
  else if (fields[value] !== undefined && types[fields[value].type]?.canBeSearched !== true)
    mistakes.add(path, `${value} is ${shown(fields[value].type)}: name a field of type text`);
}
