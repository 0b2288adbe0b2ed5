/** Idempotency keys. `crypto.randomUUID` is missing in pages that are not served by TLS or from this machine. */

export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
