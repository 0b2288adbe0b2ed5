/** Why a token gives no access to this service, as far as the token itself shows it. The server does not say. */
import type { Issuer } from './issuers.ts';

type Claims = Readonly<Record<string, unknown>>;

export function whyNoAccess(token: string, { name }: Pick<Issuer, 'name'>, audience: string): string {
  const claims = claimsIn(token);
  if (claims === undefined)
    return `The token is not a JSON Web Token: ${name} has to issue such tokens for ${audience}.`;
  const { iss, aud, scope, scp } = claims;
  const audiences = listOf(aud);
  if (!audiences.includes(audience))
    return `The token is for ${audiences.length === 0 ? 'no audience' : audiences.join(', ')}. It needs the audience ${audience}.`;
  if (iss !== name) return `The token is from ${String(iss)}, not from ${name}.`;
  const scopes = listOf(scope ?? scp);
  const isEnough = scopes.some((one) => /^(shelf:)?(read|write|admin)$/.test(one));
  if (!isEnough)
    return `The token has ${scopes.length === 0 ? 'no scope' : `the scope ${scopes.join(', ')}`}. It needs read, write or admin.`;
  return 'The server refuses the token: its clock may differ from that of the issuer.';
}

/** Not verified. */
function claimsIn(token: string): Claims | undefined {
  try {
    const [, payload = ''] = token.split('.');
    const bytes = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))));
  } catch {
    return undefined;
  }
}

/** Words separated by spaces, or a list. */
function listOf(claim: unknown): readonly string[] {
  return Array.isArray(claim)
    ? claim.map(String)
    : String(claim ?? '')
        .split(' ')
        .filter(Boolean);
}
