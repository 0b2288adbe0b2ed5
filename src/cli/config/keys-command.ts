/** Parses the arguments of `keys create`, `keys list` and `keys revoke`. */

import { type Scope, scopes } from '../../domain/caller.ts';
import { similar } from '../../domain/input/suggest.ts';
import { keyNamePattern } from '../../domain/store/api-keys.ts';
import { parseDays } from '../settings/values.ts';
import { redacted } from './secrets.ts';

export type KeysCommand =
  | {
      readonly kind: 'create';
      readonly name: string;
      readonly scope: Scope;
      readonly collections: readonly string[] | undefined;
      readonly lastsMs: number | undefined;
    }
  | { readonly kind: 'list' }
  | { readonly kind: 'revoke'; readonly key: string };

export const grantFlags = ['--name', '--scope', '--collections', '--expires'];

const kinds: readonly string[] = ['create', 'list', 'revoke'];

const usage =
  'Usage: shelf keys create --name NAME --scope read|write|admin, shelf keys list, or shelf keys revoke NAME';

/** Returns one line that describes the mistake if the arguments are invalid. */
export function readKeysCommand(words: readonly string[], flags: ReadonlyMap<string, string>): KeysCommand | string {
  const [kind, key, ...more] = words;
  const meant = kind === undefined || kinds.includes(kind) ? undefined : similar(kind, kinds);
  if (meant !== undefined) return `Unknown command "keys ${kind}"${meant}`;
  const given = grantFlags.filter((flag) => flags.has(flag));
  if (more.length > 0) return usage;
  if (kind !== 'create' && given.length > 0) return `${given[0]} is only valid with keys create: leave it out.`;
  if (kind === 'list' && key === undefined) return { kind };
  if (kind === 'revoke')
    return key === undefined ? 'Usage: shelf keys revoke NAME (shelf keys list shows the names)' : { kind, key };
  if (kind !== 'create' || key !== undefined) return usage;

  const name = flags.get('--name') ?? '';
  if (!new RegExp(keyNamePattern).test(name))
    return `--name must be 1 to 64 letters, digits, dots, dashes or underscores${not(flags.get('--name'))}.`;
  const scope = scopes.find((one) => one === flags.get('--scope'));
  if (scope === undefined) return `--scope must be one of ${scopes.join(', ')}${not(flags.get('--scope'))}.`;
  const expires = flags.get('--expires');
  const lastsMs = expires === undefined ? undefined : parseDays(expires);
  if (expires !== undefined && lastsMs === undefined)
    return `--expires must be a time from 1h to 3650d, such as 12h or 90d${not(expires)}.`;
  return { kind, name, scope, collections: flags.get('--collections')?.split(','), lastsMs };
}

/** The received value, if there is one. */
function not(value: string | undefined): string {
  return value === undefined ? '' : `, not ${JSON.stringify(redacted(value))}`;
}
