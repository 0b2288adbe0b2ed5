/** Signing in to the console: which client and which scopes belong to which issuer. */
import { StartError } from '../../domain/errors.ts';
import type { Issuer } from '../../http/access/issuer.ts';
import type { SignIns } from '../../http/access/sign-ins.ts';
import type { Config } from '../settings/settings.ts';

type Settings = Pick<Config, 'access' | 'server'>;

/** Throws a StartError for settings that do not belong together. */
export function requireSignInSettings({ access, server }: Settings): void {
  const { oidcIssuer, oidcClient, oidcScope } = access;
  if (oidcClient.value === undefined) {
    if (oidcScope.value === undefined) return;
    throw new StartError('--oidc-scope needs --oidc-client: set it to the id of the console at the issuer.');
  }
  if (oidcIssuer.value === undefined)
    throw new StartError('--oidc-client needs --oidc-issuer: set it to the issuer where people sign in.');
  if (!server.console) throw new StartError('--oidc-client needs --console on: people sign in to the console.');
  if (server.docs === 'off')
    throw new StartError('--oidc-client needs --docs on or --docs admin: with --docs off there is no console.');
  requireAsMany('--oidc-client', oidcClient.value, oidcIssuer.value);
  requireAsMany('--oidc-scope', oidcScope.value ?? [], oidcIssuer.value);
}

function requireAsMany(flag: string, { length }: readonly string[], issuers: readonly string[]): void {
  if (length <= 1 || length === issuers.length) return;
  throw new StartError(
    `${flag} has ${length} values, and --oidc-issuer has ${issuers.length}: give one for all issuers, or one for each, in the same order.`,
  );
}

/** Of settings that belong together. Undefined if people cannot sign in. */
export function signInsOf(
  { oidcClient, oidcScope, oidcAudience }: Config['access'],
  issuers: readonly Issuer[],
): SignIns | undefined {
  const clients = oidcClient.value;
  if (clients === undefined || oidcAudience.value === undefined) return undefined;
  const registrations = issuers.map((issuer, at) => ({
    issuer,
    client: ofIssuer(clients, at) ?? '',
    scope: ofIssuer(oidcScope.value ?? [], at),
  }));
  return { audience: oidcAudience.value, registrations };
}

/** One value is for all of them. */
function ofIssuer(values: readonly string[], at: number): string | undefined {
  return values.length === 1 ? values[0] : values[at];
}
