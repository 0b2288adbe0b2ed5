/** Parses the arguments of `keys create`, `keys list` and `keys revoke`. */

import { claimsMistake } from '../../domain/access/claims.ts';
import { type Claims, scopes } from '../../domain/caller.ts';
import { similar } from '../../domain/input/suggest.ts';
import { type Grant, keyNamePattern } from '../../domain/store/api-keys.ts';
import { parseDays } from '../settings/values.ts';
import { redacted } from './secrets.ts';

export type KeysCommand =
  | (Pick<Grant, 'name' | 'scope' | 'role' | 'claims'> & {
      readonly kind: 'create';
      readonly collections: readonly string[] | undefined;
      readonly lastsMs: number | undefined;
    })
  | { readonly kind: 'list' }
  | { readonly kind: 'revoke'; readonly key: string };

/** May be given several times. */
export const claimFlag = '--claim';
export const grantFlags = ['--name', '--scope', '--collections', '--role', claimFlag, '--expires'];

const kinds: readonly string[] = ['create', 'list', 'revoke'];

const usage =
  'Usage: shelf keys create --name NAME --scope read|write|admin (or --role ROLE), shelf keys list, or shelf keys revoke NAME';

/** `claims` are the values of --claim. Returns one line that describes the mistake if the arguments are invalid. */
export function readKeysCommand(
  words: readonly string[],
  flags: ReadonlyMap<string, string>,
  claims: readonly string[],
): KeysCommand | string {
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
  const grant = flags.has('--role') ? readRole(flags, claims) : readScope(flags, claims);
  if (typeof grant === 'string') return grant;
  const expires = flags.get('--expires');
  const lastsMs = expires === undefined ? undefined : parseDays(expires);
  if (expires !== undefined && lastsMs === undefined)
    return `--expires must be a time from 1h to 3650d, such as 12h or 90d${not(expires)}.`;
  return { kind, name, ...grant, collections: flags.get('--collections')?.split(','), lastsMs };
}

function readScope(flags: ReadonlyMap<string, string>, claims: readonly string[]): Pick<Grant, 'scope'> | string {
  const scope = scopes.find((one) => one === flags.get('--scope'));
  if (scope === undefined) return `--scope must be one of ${scopes.join(', ')}${not(flags.get('--scope'))}.`;
  return claims.length === 0 ? { scope } : '--claim is only valid with --role: leave it out.';
}

function readRole(
  flags: ReadonlyMap<string, string>,
  texts: readonly string[],
): Pick<Grant, 'scope' | 'role' | 'claims'> | string {
  const excess = ['--scope', '--collections'].find((flag) => flags.has(flag));
  if (excess !== undefined)
    return `${excess} is not valid with --role, whose rules say what the key may do: leave it out.`;
  const claims = readClaims(texts);
  if (typeof claims === 'string') return claims;
  return { scope: undefined, role: flags.get('--role') ?? '', claims };
}

/** `NAME=VALUE`. The value is JSON if it is that of a number, of true, false, a text in quotes or a list; otherwise it is the text itself. */
export function readClaims(texts: readonly string[]): Claims | string {
  const claims: Record<string, unknown> = {};
  for (const text of texts) {
    const at = text.indexOf('=');
    if (at < 1) return `${claimFlag} must be NAME=VALUE, such as member_id=7, not ${JSON.stringify(text)}.`;
    const name = text.slice(0, at);
    if (Object.hasOwn(claims, name)) return `${claimFlag} ${name} is there twice: leave one out.`;
    claims[name] = claimValue(text.slice(at + 1));
  }
  const mistake = claimsMistake(claims);
  return mistake === undefined ? claims : `${claimFlag} ${mistake}.`;
}

function claimValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? text : value;
  } catch {
    return text;
  }
}

/** The received value, if there is one. */
function not(value: string | undefined): string {
  return value === undefined ? '' : `, not ${JSON.stringify(redacted(value))}`;
}
