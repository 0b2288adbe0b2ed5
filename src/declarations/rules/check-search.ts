/** Checks which fields of a collection are searched by their words. */
import { suggestion } from '../../domain/input/suggest.ts';
import { everySearched } from '../../domain/where/where.ts';
import { hasKnownType, requireSearchable } from '../check-field.ts';
import { type Mistakes, pathTo, shown } from '../mistakes.ts';
import type { DeclaredFields } from './check-indexes.ts';

/** A query looks for each of its words in each of them. */
export const maxSearched = 20;

/** `path` is that of the collection. */
export function checkSearch(value: unknown, declared: DeclaredFields, path: string, mistakes: Mistakes): void {
  const alone = Object.keys(declared.fields).filter((key) => declared.fields[key]?.search === true);
  const listed = listedFields(value, declared, alone, `${path}.search`, mistakes);
  const all = new Set([...alone, ...listed]);
  if (all.size > maxSearched)
    mistakes.add(path, `has ${all.size} fields with search; at most ${maxSearched} are possible`);
  if (all.size > 0 && declared.named.includes(everySearched))
    mistakes.add(
      pathTo(`${path}.fields`, everySearched),
      'is the search of all fields in a collection with search: choose another name',
    );
}

function listedFields(
  value: unknown,
  { fields, named }: DeclaredFields,
  alone: readonly string[],
  path: string,
  mistakes: Mistakes,
): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length === 0) {
    mistakes.add(path, `must be a list of text fields, such as ["title"], not ${shown(value)}`);
    return [];
  }
  for (const [at, name] of value.entries()) {
    const place = `${path}[${at}]`;
    if (typeof name !== 'string') mistakes.add(place, `must be a field, not ${shown(name)}`);
    else if (!named.includes(name)) mistakes.add(place, `there is no field ${shown(name)}${suggestion(name, named)}`);
    else if (alone.includes(name)) mistakes.add(place, `${name} has "search" itself: remove one of them`);
    else if (value.indexOf(name) < at) mistakes.add(place, 'is there already: remove one of them');
    else {
      const field = fields[name];
      if (field !== undefined && hasKnownType(field)) requireSearchable(field, place, mistakes);
    }
  }
  return value.filter((name) => typeof name === 'string');
}
