/** The collections that are served, in display order. */
import { type Collection, collection } from '../domain/record/collection.ts';
import type { Declarations } from '../domain/record/declaration.ts';
import { items } from './items.ts';
import { users } from './users.ts';

/** The collections of the contract. */
export const collections: readonly Collection[] = [items, users];

/** Those of the contract, but for `without`, and then the declared ones. */
export function collectionsOf(declarations: Declarations, without: readonly string[]): readonly Collection[] {
  return [
    ...collections.filter(({ name }) => !without.includes(name)),
    ...Object.entries(declarations).map(([name, declaration]) => collection(name, declaration)),
  ];
}
