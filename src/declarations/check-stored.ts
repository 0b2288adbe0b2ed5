/** Checks the declarations that a database, an export or a server has, with the rules of a configuration file. */

import { isObject } from '../domain/input/json.ts';
import type { CollectionDeclaration } from '../domain/record/declaration.ts';
import { readCollections } from './check.ts';
import { Mistakes, shortened, shown } from './mistakes.ts';
import { nameMistake } from './names.ts';
import type { StoredDeclaration, StoredDeclarations } from './plan.ts';

/** Of a line that says what is wrong: names from elsewhere may be long. */
const maxCharacters = 400;

type Undeclared = { readonly name: string; readonly declaration: unknown };
type Declared<Given> = Omit<Given, 'declaration'> & { readonly declaration: CollectionDeclaration };

/** Collections with their declarations as they are read; or what is wrong with these. `part`: there are others. */
export function checkCollections<Given extends Undeclared>(
  given: readonly Given[],
  part?: 'part',
): readonly Declared<Given>[] | string {
  const mistakes = new Mistakes('memory');
  const known = part === undefined ? given.map(({ name }) => name) : undefined;
  const read = given.flatMap((one) =>
    readCollections([{ name: one.name, value: one.declaration, path: shortened(one.name) }], known, mistakes).map(
      ({ declaration }) => ({ ...one, declaration }),
    ),
  );
  return firstOf(mistakes) ?? read;
}

/** The declarations that a database has stored; or what is wrong with them. */
export function checkStored(value: unknown): StoredDeclarations | string {
  if (!isObject(value)) return `the collections must be an object, not ${shown(value)}`;
  const mistakes = new Mistakes('memory');
  const names = Object.keys(value);
  const stored = Object.entries(value).map(([name, one]): [string, StoredDeclaration] => {
    const path = shortened(name);
    const { now = undefined, earlier = [], formerly = undefined } = isObject(one) ? one : {};
    if (!Array.isArray(earlier)) mistakes.add(`${path}.earlier`, `must be a list, not ${shown(earlier)}`);
    if (!isNames(formerly)) mistakes.add(`${path}.formerly`, `must be a list of names, not ${shown(formerly)}`);
    const [last] = readCollections([{ name, value: now, path }], names, mistakes);
    const before = [earlier].flat().map((each, at) => ({ name, value: each, path: `${path}.earlier[${at}]` }));
    // Their references may name collections that are gone.
    const others = readCollections(before, undefined, mistakes).map(({ declaration }) => declaration);
    return [name, { ...(one as StoredDeclaration), now: last?.declaration as CollectionDeclaration, earlier: others }];
  });
  return firstOf(mistakes) ?? Object.fromEntries(stored);
}

function isNames(value: unknown): boolean {
  if (value === undefined) return true;
  return Array.isArray(value) && value.every((one) => typeof one === 'string' && nameMistake(one) === undefined);
}

function firstOf({ lines: [line] }: Mistakes): string | undefined {
  return line === undefined || line.length <= maxCharacters ? line : `${line.slice(0, maxCharacters)}...`;
}
