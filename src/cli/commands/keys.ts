/** Creates, lists and revokes API keys, also while servers are running. */

import { userInfo } from 'node:os';
import { StartError } from '../../domain/errors.ts';
import { printable } from '../../domain/input/printable.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { type ApiKey, type ApiKeys, stateOf } from '../../domain/store/api-keys.ts';
import { issueKey, keyPrefix } from '../../http/access/issue-key.ts';
import type { KeysCommand } from '../config/keys-command.ts';
import { appendAudit } from '../log/audit-file.ts';

/** `output` is for standard output: for `create` the key alone, so that a script can read it. `note` is for the operator. */
export type KeysDone = { readonly output: string; readonly note: string; readonly change?: KeyChange };
/** For the audit log. */
export type KeyChange = { readonly outcome: 'created' | 'revoked'; readonly record: string };

export async function runKeys(
  keys: ApiKeys,
  order: KeysCommand,
  now: Date,
  collections: readonly Collection[],
  roles: readonly string[] = [],
): Promise<KeysDone> {
  if (order.kind === 'list') return { output: table(await keys.list(), now.toISOString()), note: '' };
  if (order.kind === 'revoke') {
    const key = (await keys.list()).find(
      ({ id, name, revokedAt }) => revokedAt === undefined && (id === order.key || name === order.key),
    );
    if (key !== undefined && (await keys.revoke(key.id, now.toISOString()))) {
      const change = { outcome: 'revoked', record: key.id } as const;
      return { output: `The key ${order.key} is revoked.\n`, note: '', change };
    }
    throw new StartError(`No key ${JSON.stringify(order.key)} to revoke: shelf keys list shows all keys.`);
  }
  return create(keys, order, now, collections, roles);
}

async function create(
  keys: ApiKeys,
  order: Extract<KeysCommand, { kind: 'create' }>,
  now: Date,
  collections: readonly Collection[],
  roles: readonly string[],
): Promise<KeysDone> {
  const { kind: _, collections: only, lastsMs, ...grant } = order;
  if (grant.role !== undefined && !roles.includes(grant.role)) {
    const known = roles.length === 0 ? 'the configuration file has none' : `known roles: ${roles.join(', ')}`;
    throw new StartError(`Unknown role ${JSON.stringify(grant.role)}; ${known}.`);
  }
  const names = collections.map((collection) => collection.name);
  const unknown = only?.find((one) => !names.includes(one));
  if (unknown !== undefined) {
    throw new StartError(`Unknown collection ${JSON.stringify(unknown)}; known collections: ${names.join(', ')}.`);
  }
  const expiresAt = lastsMs === undefined ? undefined : new Date(now.getTime() + lastsMs).toISOString();
  const { key, secret } = issueKey({ ...grant, collections: only, expiresAt }, now);
  const added = await keys.add(key);
  if (!added)
    throw new StartError(`The key ${JSON.stringify(grant.name)} exists already: revoke it, or choose another --name.`);
  return {
    output: `${secret}\n`,
    note: ` The key ${grant.name} is shown this once; send it as Authorization: Bearer ${keyPrefix}...`,
    change: { outcome: 'created', record: key.id },
  };
}

/** Resolves with a warning if the audit log does not have the change; it has happened. */
export async function auditChange(
  path: string,
  kind: KeysCommand['kind'],
  change: KeyChange,
): Promise<string | undefined> {
  try {
    await appendAudit(path, { caller: user(), role: null, route: `shelf keys ${kind}`, ...change, request_id: null });
    return undefined;
  } catch (error) {
    return `Warning: the key ${change.record} is ${change.outcome}, but --audit ${path} lacks it (${(error as Error).message}).`;
  }
}

/** No name of an API key or of a token begins like this. */
function user(): string {
  try {
    return `command:${userInfo().username}`;
  } catch {
    // In a container, a user may have no name.
    return `command:${process.getuid?.()}`;
  }
}

function table(keys: readonly ApiKey[], now: string): string {
  if (keys.length === 0) return 'No keys yet: shelf keys create creates one.\n';
  const day = (time: string | undefined) => time?.slice(0, 10) ?? '-';
  const rows = keys.map((key) => [
    key.id,
    key.name,
    key.scope ?? '-',
    key.role === undefined ? (key.collections?.join() ?? 'all') : '-',
    day(key.createdAt),
    day(key.expiresAt),
    day(key.lastUsedAt),
    key.revokedAt !== undefined ? `revoked ${day(key.revokedAt)}` : stateOf(key, now),
    roleText(key),
  ]);
  const all = [['ID', 'NAME', 'SCOPE', 'COLLECTIONS', 'CREATED', 'EXPIRES', 'LAST USED', 'STATE', 'ROLE'], ...rows];
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

function roleText({ role, claims = {} }: ApiKey): string {
  if (role === undefined) return '';
  const texts = Object.entries(claims).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return printable([role, ...texts].join(' '));
}
