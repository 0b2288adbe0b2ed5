/** The discovery document of an issuer (OpenID Connect Discovery, section 3). It comes from outside: each part is checked. */
import { isObject } from '../../domain/input/json.ts';
import type { Published } from '../../http/access/issuer.ts';
import { isUrlOf } from '../../http/access/issuer-url.ts';

export type Discovery = Omit<Published, 'keys'> & { readonly keys: string };

/** Section 4: an issuer may end with a slash. */
export function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}

/** `keys` is the URL of the keys. Throws an error that says what is wrong. */
export function readDiscovery(issuer: string, document: unknown): Discovery {
  if (!isObject(document)) throw new Error('its discovery document is not an object');
  const { issuer: named } = document;
  if (named !== issuer)
    throw new Error(
      `its discovery document names another issuer, ${JSON.stringify(named)?.slice(0, 250)}: set --oidc-issuer to the one whose tokens are meant`,
    );
  const url = (member: string) => urlIn(issuer, document, member);
  const keys = url('jwks_uri');
  if (keys === undefined) throw new Error('its discovery document has no jwks_uri');
  const algorithms = textsIn(document, 'id_token_signing_alg_values_supported');
  if (algorithms === undefined) throw new Error('its discovery document has no id_token_signing_alg_values_supported');
  return {
    keys,
    algorithms,
    endpoints: {
      authorization: url('authorization_endpoint'),
      token: url('token_endpoint'),
      revocation: url('revocation_endpoint'),
      endSession: url('end_session_endpoint'),
    },
    scopes: textsIn(document, 'scopes_supported'),
    isNamedInAnswers: document.authorization_response_iss_parameter_supported === true,
  };
}

type Document = Readonly<Record<string, unknown>>;

function urlIn(issuer: string, document: Document, member: string): string | undefined {
  const url = document[member];
  if (url === undefined || url === null) return undefined;
  if (typeof url === 'string' && isUrlOf(issuer, url)) return url;
  throw new Error(
    `its discovery document has a ${member} that is not an https URL, ${JSON.stringify(url).slice(0, 250)}`,
  );
}

function textsIn(document: Document, member: string): readonly string[] | undefined {
  const texts = document[member];
  if (texts === undefined || texts === null) return undefined;
  if (Array.isArray(texts) && texts.every((one) => typeof one === 'string')) return texts;
  throw new Error(`its discovery document has a ${member} that is not a list of texts`);
}
