/** Every field type, by its name in a declaration. */

import { StartError } from '../errors.ts';
import type { FieldDeclaration } from '../record/declaration.ts';
import { boolean } from './boolean.ts';
import { choice } from './choice.ts';
import { date } from './date.ts';
import { decimal } from './decimal.ts';
import { integer } from './integer.ts';
import { json } from './json.ts';
import { listOf } from './list.ts';
import { number } from './number.ts';
import { reference } from './reference.ts';
import { text } from './text.ts';
import { timestamp } from './timestamp.ts';
import type { Field, FieldType } from './type.ts';

export const types: Readonly<Record<string, FieldType>> = {
  text,
  integer,
  number,
  decimal,
  boolean,
  date,
  timestamp,
  choice,
  list: listOf(typeOf),
  json,
  reference,
};

/** For a declaration without problems. */
export function compileField(declared: FieldDeclaration): Field {
  return typeOf(declared).compile(declared);
}

/** Throws a StartError for the type of a newer Shelf. */
function typeOf({ type }: FieldDeclaration): FieldType {
  const found = Object.hasOwn(types, type) ? types[type] : undefined;
  if (found === undefined) throw new StartError(`there is no field type ${type} in this version of Shelf`);
  return found;
}

/** Whether two fields have the same values, so that they can be compared. */
export function isSameType({ declared: one }: Field, { declared: other }: Field): boolean {
  return one.type === other.type && typeOf(one).kept?.(one) === typeOf(other).kept?.(other);
}
