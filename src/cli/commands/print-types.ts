/** `shelf types`: the types of the collections, for the typed client. */
import { typescriptOf } from '../../declarations/typescript.ts';
import type { AccessDeclaration } from '../../domain/access/declaration.ts';
import { type Operation, rightsTable } from '../../domain/access/rights-table.ts';
import { StartError } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { TypesCommand } from '../config/types-command.ts';
import { compiledFrom, listedIn } from '../remote/server-index.ts';
import { authorityFix } from '../remote/unknown-authority.ts';
import { requireRole } from './print-access.ts';

/** Milliseconds. */
const patience = 15_000;

export async function typesText(
  { url, key, role }: TypesCommand,
  declared: readonly Collection[],
  access?: AccessDeclaration | undefined,
): Promise<string> {
  if (role !== undefined) return typesOfRole(requireRole(role, access), role, declared);
  return typescriptOf(url === undefined ? declared : await collectionsAt(url, key));
}

/** What the role may read and send. */
function typesOfRole(access: AccessDeclaration, role: string, declared: readonly Collection[]): string {
  const rows = rightsTable(access, role, declared);
  const fieldsOf = (name: string, ...some: readonly Operation[]) => [
    ...new Set(
      rows
        .filter(({ collection, operation }) => collection === name && some.includes(operation))
        .flatMap(({ fields }) => fields ?? []),
    ),
  ];
  const shown = declared.filter(({ name }) => rows.some(({ collection }) => collection === name));
  return typescriptOf(shown, (name) => ({
    readable: fieldsOf(name, 'read'),
    sendable: fieldsOf(name, 'create', 'update'),
  }));
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
  if (answer.status === 404)
    throw new StartError(
      `${address} answers 404: check the address, and start the server with --docs admin if it has --docs off.`,
    );
  const listed = answer.status === 200 ? listedIn(answer.text, address) : undefined;
  if (listed === undefined)
    throw new StartError(
      `${address} answers ${answer.status} and no list of collections: give the address of a Shelf server.`,
    );
  return listed.map((one) => compiledFrom(one, address));
}
