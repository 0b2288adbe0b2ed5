/** Loads the public keys of a token issuer (JWKS) from a URL or a file. */
import { StartError } from '../../domain/errors.ts';
import type { Verify } from '../../http/access/auth.ts';
import { tokenVerifier } from '../../http/access/jwt.ts';
import { authorityFix } from '../remote/unknown-authority.ts';
import type { Config } from '../settings/settings.ts';

const timeoutMs = 5_000;
const maxBytes = 1024 * 1024;

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
  // Errors omit the rest of the URL, which may contain a secret.
  const { origin, pathname } = new URL(url);
  const place = origin + pathname;
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) }).catch((error) => {
    const fix = authorityFix(error);
    throw fix === undefined
      ? error
      : new Error(`cannot fetch the public keys from ${place} (${error.message}): ${fix}`);
  });
  if (!answer.ok) throw new Error(`cannot fetch the public keys: ${place} answered ${answer.status}`);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of answer.body ?? []) {
    size += part.length;
    if (size > maxBytes)
      throw new Error(`cannot fetch the public keys: ${place} answered with more than ${maxBytes} bytes`);
    parts.push(part);
  }
  return keysIn(Buffer.concat(parts).toString());
}

async function readKeys(path: string): Promise<unknown> {
  return keysIn(await Bun.file(path).text());
}

function keysIn(text: string): unknown {
  const found = JSON.parse(text) as { keys?: unknown } | null;
  if (!Array.isArray(found?.keys)) throw new Error('the JWKS has no "keys" array');
  return found;
}
