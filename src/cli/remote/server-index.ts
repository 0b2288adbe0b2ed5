/** The collections that a server lists at /api/v2. They become code and parsers, so they are checked as those of every other source. */
import { checkCollections } from '../../declarations/check-stored.ts';
import { StartError } from '../../domain/errors.ts';
import { isObject } from '../../domain/input/json.ts';
import { type Collection, collection } from '../../domain/record/collection.ts';
import type { CollectionDeclaration } from '../../domain/record/declaration.ts';
import { parsePlain } from '../../domain/record/plain-data.ts';

export type Listed = { readonly name: string; readonly declaration: CollectionDeclaration };

/** Undefined if the text is not the index of a server. Throws a StartError. `address` is for messages. */
export function listedIn(text: string, address: string): readonly Listed[] | undefined {
  const found = indexIn(text);
  if (found === undefined) return undefined;
  // A key may see only some of them.
  const listed = checkCollections(found, 'part');
  if (typeof listed === 'string')
    throw new StartError(`${address} has a declaration that no Shelf has (${listed}): check the address.`);
  return listed;
}

/** Throws a StartError for a type of a newer Shelf. */
export function compiledFrom({ name, declaration }: Listed, address: string): Collection {
  try {
    const compiled = collection(name, declaration);
    // They are compiled when they are first used.
    void compiled.fields;
    return compiled;
  } catch (error) {
    throw new StartError(
      `This Shelf cannot read the collection ${name} at ${address} (${(error as Error).message}): update it.`,
    );
  }
}

type Unchecked = { readonly name: string; readonly declaration: unknown };

function indexIn(text: string): readonly Unchecked[] | undefined {
  try {
    const index: unknown = parsePlain(text);
    if (!isObject(index) || !Array.isArray(index.collections)) return undefined;
    return index.collections.every(isUnchecked) ? index.collections : undefined;
  } catch {
    return undefined;
  }
}

function isUnchecked(value: unknown): value is Unchecked {
  return isObject(value) && typeof value.name === 'string' && isObject(value.declaration);
}
