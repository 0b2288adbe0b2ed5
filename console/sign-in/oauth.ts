/** What the console asks of an issuer: OAuth 2.0 with PKCE, and OpenID Connect. It is loaded when somebody signs in. */
import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  calculatePKCECodeChallenge,
  clockTolerance,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  getValidatedIdTokenClaims,
  type IDToken,
  None,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  revocationRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import type { Here, Issuer } from './issuers.ts';
import { failureOf, type SignInFailure } from './oauth-failures.ts';

/** A sign-in that has begun. Its answer is for the tab that has it. */
export type Attempt = {
  readonly issuer: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
};

export type Tokens = {
  readonly access: string;
  /** Undefined if the issuer gives none. */
  readonly refresh: string | undefined;
  readonly id: string;
  readonly subject: string;
  /** As the issuer calls the person. */
  readonly name: string;
  /** How long `access` is valid; undefined if the issuer does not say. */
  readonly seconds: number | undefined;
};

export type Outcome = { readonly kind: 'signed in'; readonly tokens: Tokens } | SignInFailure;

/** `none`: the issuer asks nothing. `login`: it asks who it is, though somebody is signed in there. */
export type Prompt = 'none' | 'login' | undefined;

const timeoutMs = 15_000;
/** Clocks of devices are often wrong, and these tokens come straight from the issuer. */
const toleratedSeconds = 300;

/** The address where the person signs in. */
export async function begin(issuer: Issuer, here: Here, prompt: Prompt): Promise<{ url: string; attempt: Attempt }> {
  const attempt = {
    issuer: issuer.name,
    state: generateRandomState(),
    nonce: generateRandomNonce(),
    verifier: generateRandomCodeVerifier(),
  };
  const url = new URL(issuer.endpoints.authorization);
  const parameters = {
    client_id: issuer.client,
    redirect_uri: here.redirectUri,
    response_type: 'code',
    scope: issuer.scope,
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
    ...forAudience(here),
    ...(prompt === undefined ? {} : { prompt }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, attempt };
}

/** `search` is the query with which the issuer has sent the person back. */
export async function finish(issuer: Issuer, here: Here, attempt: Attempt, search: string): Promise<Outcome> {
  try {
    const [server, client] = [serverOf(issuer), clientOf(issuer)];
    const answer = validateAuthResponse(server, client, new URLSearchParams(search), attempt.state);
    const response = await authorizationCodeGrantRequest(
      server,
      client,
      None(),
      answer,
      here.redirectUri,
      attempt.verifier,
      requestOptions(issuer, here),
    );
    const options = { expectedNonce: attempt.nonce, requireIdToken: true };
    const result = await processAuthorizationCodeResponse(server, client, response, options);
    const claims = getValidatedIdTokenClaims(result);
    if (claims === undefined || result.id_token === undefined) throw new Error('the answer has no ID token');
    return { kind: 'signed in', tokens: { ...tokensOf(result), ...personOf(claims), id: result.id_token } };
  } catch (error) {
    return failureOf(error, issuer);
  }
}

/** `tokens` with those that replace them. */
export async function refresh(issuer: Issuer, here: Here, tokens: Tokens): Promise<Outcome> {
  try {
    const [server, client] = [serverOf(issuer), clientOf(issuer)];
    const options = requestOptions(issuer, here);
    const response = await refreshTokenGrantRequest(server, client, None(), tokens.refresh ?? '', options);
    const result = await processRefreshTokenResponse(server, client, response);
    const claims = getValidatedIdTokenClaims(result);
    if (claims !== undefined && claims.sub !== tokens.subject) throw new Error('the new tokens are of another person');
    const given = tokensOf(result);
    const id = result.id_token ?? tokens.id;
    return { kind: 'signed in', tokens: { ...tokens, ...given, id, refresh: given.refresh ?? tokens.refresh } };
  } catch (error) {
    return failureOf(error, issuer);
  }
}

/** Resolves also if the issuer does not: its session ends next, and the tokens soon after. */
export async function revoke(issuer: Issuer, { refresh: token }: Tokens): Promise<void> {
  if (token === undefined || issuer.endpoints.revocation === undefined) return;
  const options = { ...insecure(issuer), signal: AbortSignal.timeout(3000) };
  await revocationRequest(serverOf(issuer), clientOf(issuer), None(), token, options).catch(() => {});
}

/** Where the session at the issuer ends; undefined if it has no such address. */
export function endSessionUrl({ endpoints, client }: Issuer, here: Here, { id }: Tokens): string | undefined {
  if (endpoints.endSession === undefined) return undefined;
  const url = new URL(endpoints.endSession);
  url.searchParams.set('id_token_hint', id);
  url.searchParams.set('client_id', client);
  url.searchParams.set('post_logout_redirect_uri', here.afterSignOut);
  return url.href;
}

function serverOf({ name, endpoints, algorithms, isNamedInAnswers }: Issuer): AuthorizationServer {
  return {
    issuer: name,
    authorization_endpoint: endpoints.authorization,
    token_endpoint: endpoints.token,
    ...(endpoints.revocation === undefined ? {} : { revocation_endpoint: endpoints.revocation }),
    id_token_signing_alg_values_supported: [...algorithms],
    authorization_response_iss_parameter_supported: isNamedInAnswers,
  };
}

function clientOf({ client }: Issuer): Client {
  return { client_id: client, [clockTolerance]: toleratedSeconds };
}

function requestOptions(issuer: Issuer, here: Here) {
  return {
    ...insecure(issuer),
    signal: AbortSignal.timeout(timeoutMs),
    additionalParameters: forAudience(here),
  };
}

/** Shelf accepts http only from an issuer on loopback. */
function insecure({ name }: Issuer) {
  return { [allowInsecureRequests]: name.startsWith('http:') };
}

/** Issuers know the service by `resource` (RFC 8707), which must be a URI, or by `audience`. */
function forAudience({ audience }: Here): Record<string, string> {
  const isUri = URL.canParse(audience) && !audience.includes('#');
  return { audience, ...(isUri ? { resource: audience } : {}) };
}

function tokensOf({ access_token, refresh_token, expires_in }: TokenEndpointResponse) {
  return { access: access_token, refresh: refresh_token, seconds: expires_in };
}

function personOf({ sub, preferred_username, email, name }: IDToken) {
  const named = [preferred_username, email, name].find((one) => typeof one === 'string' && one !== '');
  return { subject: sub, name: String(named ?? sub) };
}
