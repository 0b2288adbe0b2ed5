/** The public keys of an issuer of tokens, from a URL or a file. */
import { StartError } from '../domain/errors.ts';
import type { Verify } from '../http/access/auth.ts';
import { tokenVerifier } from '../http/access/jwt.ts';
import type { Config } from './settings/settings.ts';

const patienceMs = 5_000;
const maxBytes = 1024 * 1024;

/** Undefined where no tokens are taken. */
export async function verifierOf(
  { auth, jwtIssuer, jwtKeys, jwtAudience }: Config['access'],
  report: (error: unknown) => void,
): Promise<Verify | undefined> {
  const issuer = jwtIssuer.value;
  const place = jwtKeys.value;
  if (issuer === undefined && place === undefined) return undefined;
  if (issuer === undefined) throw new StartError('--jwt-keys needs --jwt-issuer: name whose keys they are.');
  if (place === undefined) throw new StartError('--jwt-issuer needs --jwt-keys: say where its public keys are.');
  if (auth === 'off') throw new StartError('--jwt-issuer needs --auth write or --auth all: with off nobody is asked.');
  const remote = /^https?:\/\//.test(place);
  // A file that is not there is a mistake; a host that is away may come back.
  if (!remote) {
    await readKeys(place).catch((error) => {
      throw new StartError(`Cannot read --jwt-keys ${place} (${(error as Error).message}): name a JWKS file or a URL.`);
    });
  }
  const load = () => (remote ? fetchKeys(place) : readKeys(place));
  return tokenVerifier({ issuer, audience: jwtAudience.value, load, report });
}

async function fetchKeys(url: string): Promise<unknown> {
  // What else is in the URL may be a secret.
  const { origin, pathname } = new URL(url);
  const place = origin + pathname;
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(patienceMs) });
  if (!answer.ok) throw new Error(`the public keys are not to be had: ${place} answers ${answer.status}`);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of answer.body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new Error(`the public keys are not to be had: ${place} answers with too much`);
    parts.push(part);
  }
  return keysIn(Buffer.concat(parts).toString());
}

async function readKeys(path: string): Promise<unknown> {
  return keysIn(await Bun.file(path).text());
}

function keysIn(text: string): unknown {
  const found = JSON.parse(text) as { keys?: unknown } | null;
  if (!Array.isArray(found?.keys)) throw new Error('it has no "keys"');
  return found;
}
