/** Parses the arguments of `access`. */
import type { Claims } from '../../domain/caller.ts';
import { UsageError } from './environment.ts';
import { claimFlag, readClaims } from './keys-command.ts';

/** `record` is the one to explain, with its collection. */
export type AccessCommand = {
  readonly role: string;
  readonly claims: Claims;
  readonly record: { readonly collection: string; readonly id: number } | undefined;
};

const asFlag = '--as';
const explainFlag = '--explain';
export const accessFlags = [asFlag, claimFlag, explainFlag];

export function readAccessCommand(flags: ReadonlyMap<string, string>, texts: readonly string[]): AccessCommand {
  const role = flags.get(asFlag);
  if (role === undefined)
    throw new UsageError('Usage: shelf access --as ROLE [--claim NAME=VALUE] [--explain COLLECTION/ID]');
  const claims = readClaims(texts);
  if (typeof claims === 'string') throw new UsageError(claims);
  const explained = flags.get(explainFlag);
  if (explained === undefined) return { role, claims, record: undefined };
  const [, collection = '', id = ''] = /^([a-z0-9_]+)\/(\d{1,16})$/.exec(explained) ?? [];
  if (collection === '' || !Number.isSafeInteger(Number(id)))
    throw new UsageError(`${explainFlag} must be COLLECTION/ID, such as loans/40, not ${JSON.stringify(explained)}.`);
  return { role, claims, record: { collection, id: Number(id) } };
}
