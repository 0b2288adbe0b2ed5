/** Loads the public keys of a token issuer (JWKS) from a URL or a file. */

import { StartError } from '../../domain/errors.ts';
import { isObject } from '../../domain/input/json.ts';
import type { Verify } from '../../http/access/auth.ts';
import { tokenVerifier } from '../../http/access/jwt.ts';
import type { Config } from '../settings/settings.ts';
import { fetchJson } from './fetch-json.ts';

/** Undefined if no token issuer is configured. */
export async function verifierOf(
  { auth, jwtIssuer, jwtKeys, jwtAudience }: Config['access'],
  report: (error: unknown) => void,
): Promise<Verify | undefined> {
  const issuer = jwtIssuer.value;
  const place = jwtKeys.value;
  if (issuer === undefined && place === undefined) return undefined;
  if (issuer === undefined) throw new StartError('--jwt-keys needs --jwt-issuer: set it to the issuer of these keys.');
  if (place === undefined)
    throw new StartError('--jwt-issuer needs --jwt-keys: set it to the JWKS file or URL of the issuer.');
  if (auth === 'off')
    throw new StartError('--jwt-issuer needs --auth write or --auth all: with --auth off no token is checked.');
  const remote = /^https?:\/\//.test(place);
  // A missing file is a mistake; a host that does not answer may come back.
  if (!remote) {
    await readKeys(place).catch((error) => {
      throw new StartError(
        `Cannot read --jwt-keys ${place} (${(error as Error).message}): set it to a JWKS file or URL.`,
      );
    });
  }
  const load = () => (remote ? fetchKeys(place) : readKeys(place));
  return tokenVerifier({ issuer, audience: jwtAudience.value, load, report });
}

async function fetchKeys(url: string): Promise<unknown> {
  try {
    return jwksIn(await fetchJson(url));
  } catch (error) {
    throw new Error(`cannot fetch the public keys: ${(error as Error).message}`, { cause: error });
  }
}

async function readKeys(path: string): Promise<unknown> {
  return jwksIn(JSON.parse(await Bun.file(path).text()));
}

function jwksIn(found: unknown): unknown {
  if (!isObject(found) || !Array.isArray(found.keys)) throw new Error('the JWKS has no "keys" array');
  return found;
}
