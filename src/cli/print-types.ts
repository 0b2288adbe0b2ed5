/** `shelf types`: the types of the collections, for the typed client. */
import { checkCollections } from '../declarations/check-remembered.ts';
import { isObject } from '../declarations/mistakes.ts';
import { typescriptOf } from '../declarations/typescript.ts';
import { type Collection, collection } from '../domain/collection.ts';
import { StartError } from '../domain/errors.ts';
import { parsePlain } from '../domain/plain.ts';
import type { TypesCommand } from './types-command.ts';
import { authorityFix } from './unknown-authority.ts';

/** Milliseconds. */
const patience = 15_000;

export async function typesText({ url, key }: TypesCommand, declared: readonly Collection[]): Promise<string> {
  if (url === undefined) return typescriptOf(declared);
  const collections = await collectionsAt(url, key);
  try {
    return typescriptOf(collections);
  } catch (error) {
    throw new StartError(`This Shelf cannot read the collections at ${url} (${(error as Error).message}): update it.`);
  }
}

/** The collections that the key may read. */
async function collectionsAt(url: URL, key: string | undefined): Promise<readonly Collection[]> {
  const address = `${url.origin}${url.pathname.replace(/\/+$/, '')}/api/v2`;
  const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const answer = await fetch(address, { headers, signal: AbortSignal.timeout(patience) })
    .then(async (response) => ({ status: response.status, text: await response.text() }))
    .catch((error: Error) => {
      const fix = authorityFix(error) ?? 'check the address, and that the server runs';
      throw new StartError(`Cannot reach ${address} (${error.message}): ${fix}.`);
    });
  if (answer.status === 401 || answer.status === 403)
    throw new StartError(`${address} answers ${answer.status}: set SHELF_KEY to a key that may read the collections.`);
  const found = answer.status === 200 ? listedIn(answer.text) : undefined;
  if (found === undefined)
    throw new StartError(
      `${address} answers ${answer.status} and no list of collections: give the address of a Shelf server.`,
    );
  // Names become code.
  const declared = checkCollections(found, 'part');
  if (typeof declared === 'string')
    throw new StartError(`${address} has a declaration that no Shelf has (${declared}): check the address.`);
  return declared.map(({ name, declaration }) => collection(name, declaration));
}

type Listed = { readonly name: string; readonly declaration: unknown };

/** Undefined if the text is not the index of a server. */
function listedIn(text: string): readonly Listed[] | undefined {
  try {
    const index: unknown = parsePlain(text);
    if (!isObject(index) || !Array.isArray(index.collections)) return undefined;
    return index.collections.every(isListed) ? index.collections : undefined;
  } catch {
    return undefined;
  }
}

function isListed(value: unknown): value is Listed {
  return isObject(value) && typeof value.name === 'string' && isObject(value.declaration);
}
