/** `keys create`, `keys list` and `keys revoke`, as they are asked for. */
import { type Scope, scopes } from '../domain/caller.ts';
import { parseDays } from './settings/values.ts';

export type KeysOrder =
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

const usage =
  'Usage: shelf keys create --name NAME --scope read|write|admin, shelf keys list, or shelf keys revoke NAME';

/** What is wrong with it, as one line, where it cannot be followed. */
export function readKeysOrder(words: readonly string[], flags: ReadonlyMap<string, string>): KeysOrder | string {
  const [kind, key, ...more] = words;
  const given = grantFlags.filter((flag) => flags.has(flag));
  if (more.length > 0) return usage;
  if (kind !== 'create' && given.length > 0) return `${given[0]} goes with keys create.`;
  if (kind === 'list' && key === undefined) return { kind };
  if (kind === 'revoke')
    return key === undefined ? 'Usage: shelf keys revoke NAME (shelf keys list shows the names)' : { kind, key };
  if (kind !== 'create' || key !== undefined) return usage;

  const name = flags.get('--name') ?? '';
  if (!/^[\w.-]{1,64}$/.test(name)) return '--name must be 1 to 64 letters, digits, dots, dashes or underscores.';
  const scope = scopes.find((one) => one === flags.get('--scope'));
  if (scope === undefined) return `--scope must be one of ${scopes.join(', ')}.`;
  const expires = flags.get('--expires');
  const lastsMs = expires === undefined ? undefined : parseDays(expires);
  if (expires !== undefined && lastsMs === undefined)
    return '--expires must be a time from 1h to 3650d, such as 12h or 90d.';
  return { kind, name, scope, collections: flags.get('--collections')?.split(','), lastsMs };
}
