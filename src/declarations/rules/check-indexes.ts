/** Checks the declared indexes of a collection. */
import { suggestion } from '../../domain/input/suggest.ts';
import type { FieldDeclaration } from '../../domain/record/declaration.ts';
import { type Column, columnsOf } from '../../domain/record/record.ts';
import { compileField, types } from '../../domain/types/all-types.ts';
import { maxIndexedText } from '../../domain/types/text.ts';
import { hasKnownType, requireShort } from '../check-field.ts';
import { type Mistakes, shown } from '../mistakes.ts';

export const maxIndexFields = 10;

export type DeclaredFields = {
  readonly fields: Readonly<Record<string, FieldDeclaration>>;
  /** Also those with a mistake of their own. */
  readonly named: readonly string[];
};

export function checkIndexes(
  value: unknown,
  { fields, named }: DeclaredFields,
  path: string,
  mistakes: Mistakes,
): void {
  if (value === undefined) return;
  if (!Array.isArray(value)) {
    mistakes.add(path, `must be a list of fields, not ${shown(value)}`);
    return;
  }
  const asked = value.flat();
  const indexed = Object.entries(fields).filter(([key, one]) => asked.includes(key) && hasKnownType(one));
  // Every table has an index on the id.
  const columns = new Map(columnsOf(Object.fromEntries(indexed.map(([key, one]) => [key, compileField(one)]))));
  columns.delete('id');
  const seen = new Set<string>();
  for (const [at, index] of value.entries()) {
    const where = `${path}[${at}]`;
    const names: unknown[] = typeof index === 'string' ? [index] : Array.isArray(index) ? index : [];
    if (names.length === 0 || names.length > maxIndexFields || new Set(names).size !== names.length) {
      mistakes.add(where, `must be a field, or a list of 1 to ${maxIndexFields} different fields, not ${shown(index)}`);
      continue;
    }
    if (seen.has(names.join())) mistakes.add(where, 'is there already: remove one of them');
    seen.add(names.join());
    checkIndex(names.map(String), columns, named, where, mistakes);
  }
}

function checkIndex(
  names: readonly string[],
  columns: ReadonlyMap<string, Column>,
  named: readonly string[],
  where: string,
  mistakes: Mistakes,
): void {
  for (const name of names) {
    const field = columns.get(name)?.field;
    const declared = field?.declared;
    if (declared === undefined) {
      if (!named.includes(name))
        mistakes.add(
          where,
          `there is no field ${shown(name)}${suggestion(name, [...new Set([...named, ...columns.keys()])])}`,
        );
    } else if (!field?.isOrdered) mistakes.add(where, `a field of type ${declared.type} has no order`);
    else requireShort(declared, where, 'an indexed text', mistakes);
  }
  requireShortTogether(
    names.flatMap((name) => columns.get(name)?.field.declared ?? []),
    where,
    mistakes,
  );
}

/** PostgreSQL cannot index long values. A text that is too long by itself is a mistake of its own. */
export function requireShortTogether(declared: readonly FieldDeclaration[], where: string, mistakes: Mistakes): void {
  const lengths = declared.map((one) => types[one.type]?.longest?.(one) ?? 0);
  const sum = lengths.filter((length) => length <= maxIndexedText).reduce((all, length) => all + length, 0);
  if (sum > maxIndexedText)
    mistakes.add(where, `the texts of an index need "max" of ${maxIndexedText} or less together`);
}
