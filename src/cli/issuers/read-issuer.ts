/** Reads what an issuer publishes: its discovery document, and the keys that this names. */
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import type { Published } from '../../http/access/issuer.ts';
import { signatureAlgorithms } from '../../http/access/token-caller.ts';
import { discoveryUrl, readDiscovery } from './discovery.ts';
import { fetchJson, timeoutMs } from './fetch-json.ts';

/** Throws an error that says what is wrong. */
export async function readIssuer(issuer: string): Promise<Published> {
  const signal = AbortSignal.timeout(timeoutMs);
  const discovery = readDiscovery(issuer, await fetchJson(discoveryUrl(issuer), signal));
  const keys = (await fetchJson(discovery.keys, signal)) as JSONWebKeySet;
  try {
    createLocalJWKSet(keys);
  } catch {
    throw new Error('its jwks_uri has no JWK set');
  }
  // The document lists the algorithms of ID tokens; those of other tokens are with their keys.
  const named = [...discovery.algorithms, ...keys.keys.map(({ alg }) => alg)];
  return { ...discovery, keys, algorithms: signatureAlgorithms.filter((one) => named.includes(one)) };
}
