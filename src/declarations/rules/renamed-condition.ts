/** The condition of a rule whose fields have other names now. */

import { isObject } from '../../domain/input/json.ts';
import type { Plain } from '../../domain/record/declaration.ts';

/** The same condition; `now` returns the name of a field. */
export function withNewNames(where: Plain, now: (name: string) => string): Plain {
  if (!isObject(where)) return where;
  const members = Object.entries(where as { readonly [key: string]: Plain }).map(([name, value]) => {
    if (name === 'not') return [name, withNewNames(value, now)];
    if (Array.isArray(value) && (name === 'any' || name === 'all'))
      return [name, value.map((one) => withNewNames(one as Plain, now))];
    return [now(name), isObject(value) ? operands(value as { readonly [key: string]: Plain }, now) : value];
  });
  return Object.fromEntries(members);
}

/** An operand is a value, or `{"field": name}`. */
function operands(value: { readonly [key: string]: Plain }, now: (name: string) => string): Plain {
  const members = Object.entries(value).map(([operator, operand]) => {
    const other = isObject(operand) ? operand.field : undefined;
    return [operator, typeof other === 'string' ? { field: now(other) } : operand];
  });
  return Object.fromEntries(members);
}
