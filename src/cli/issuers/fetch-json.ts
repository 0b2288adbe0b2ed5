/** Fetches JSON that decides who may do what: within a time, up to a size, and never from where a redirect leads. */
import { authorityFix } from '../remote/unknown-authority.ts';

export const timeoutMs = 5_000;
const maxBytes = 1024 * 1024;

/** Throws an error that names the place, and not the rest of the URL, which may contain a secret. */
export async function fetchJson(url: string, signal: AbortSignal = AbortSignal.timeout(timeoutMs)): Promise<unknown> {
  const { origin, pathname } = new URL(url);
  const place = origin + pathname;
  try {
    return JSON.parse(await fetchText(url, signal));
  } catch (error) {
    throw new Error(`${place} ${reasonOf(error)}`, { cause: error });
  }
}

/** An answer that cannot be used. */
class WrongAnswer extends Error {}

async function fetchText(url: string, signal: AbortSignal): Promise<string> {
  // An issuer that has restarted has closed the connections from before.
  const answer = await fetch(url, { redirect: 'manual', keepalive: false, signal });
  if (!answer.ok) {
    await answer.body?.cancel();
    throw new WrongAnswer(`answered ${answer.status}`);
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of answer.body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new WrongAnswer(`answered with more than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function reasonOf(error: unknown): string {
  if (error instanceof WrongAnswer) return error.message;
  if (error instanceof SyntaxError) return 'answered with a text that is not JSON';
  const { name, message } = error as Error;
  if (name === 'TimeoutError') return `did not answer within ${timeoutMs / 1000} seconds`;
  const fix = authorityFix(error);
  return `cannot be fetched (${message})${fix === undefined ? '' : `: ${fix}`}`;
}
