/** Creates, lists and revokes API keys, also while servers are running. */

import { StartError } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { type ApiKey, type ApiKeys, stateOf } from '../../domain/store/api-keys.ts';
import { issueKey, keyPrefix } from '../../http/access/issue-key.ts';
import type { KeysCommand } from '../config/keys-command.ts';

/** `output` is for standard output: for `create` the key alone, so that a script can read it. `note` is for the operator. */
export type KeysDone = { readonly output: string; readonly note: string };

export async function runKeys(
  keys: ApiKeys,
  order: KeysCommand,
  now: Date,
  collections: readonly Collection[],
): Promise<KeysDone> {
  if (order.kind === 'list') return { output: table(await keys.list(), now.toISOString()), note: '' };
  if (order.kind === 'revoke') {
    if (await keys.revoke(order.key, now.toISOString()))
      return { output: `The key ${order.key} is revoked.\n`, note: '' };
    throw new StartError(`No key ${JSON.stringify(order.key)} to revoke: shelf keys list shows all keys.`);
  }
  return create(keys, order, now, collections);
}

async function create(
  keys: ApiKeys,
  order: Extract<KeysCommand, { kind: 'create' }>,
  now: Date,
  collections: readonly Collection[],
): Promise<KeysDone> {
  const { name, scope, collections: only, lastsMs } = order;
  const names = collections.map((collection) => collection.name);
  const unknown = only?.find((one) => !names.includes(one));
  if (unknown !== undefined) {
    throw new StartError(`Unknown collection ${JSON.stringify(unknown)}; known collections: ${names.join(', ')}.`);
  }
  const expiresAt = lastsMs === undefined ? undefined : new Date(now.getTime() + lastsMs).toISOString();
  const { key, secret } = issueKey({ name, scope, collections: only, expiresAt }, now);
  const added = await keys.add(key);
  if (!added)
    throw new StartError(`The key ${JSON.stringify(name)} exists already: revoke it, or choose another --name.`);
  return {
    output: `${secret}\n`,
    note: ` The key ${name} is shown this once; send it as Authorization: Bearer ${keyPrefix}...`,
  };
}

function table(keys: readonly ApiKey[], now: string): string {
  if (keys.length === 0) return 'No keys yet: shelf keys create creates one.\n';
  const day = (time: string | undefined) => time?.slice(0, 10) ?? '-';
  const rows = keys.map((key) => [
    key.id,
    key.name,
    key.scope,
    key.collections?.join() ?? 'all',
    day(key.createdAt),
    day(key.expiresAt),
    day(key.lastUsedAt),
    key.revokedAt !== undefined ? `revoked ${day(key.revokedAt)}` : stateOf(key, now),
  ]);
  const all = [['ID', 'NAME', 'SCOPE', 'COLLECTIONS', 'CREATED', 'EXPIRES', 'LAST USED', 'STATE'], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  return all
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
