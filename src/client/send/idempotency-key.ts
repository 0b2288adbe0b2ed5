/** Idempotency keys. */
import { invalidArgument } from './failure.ts';

/** The key that was given, or a new one. Throws `invalid_argument`: a header that cannot be sent would look like a lost connection. */
export function keyOf(given: string | undefined): string {
  if (given === undefined) return newKey();
  if (/^[!#-~]{1,240}$/.test(given)) return given;
  throw invalidArgument(`The idempotencyKey is ${JSON.stringify(given)}: expected 1 to 240 visible characters.`);
}

/** `crypto.randomUUID` is missing in pages that are not served by TLS or from this machine. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
