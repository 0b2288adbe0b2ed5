/** HTTPS servers whose certificate the runtime does not trust. */

const codes = /^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_|CERT_UNTRUSTED)/;

/** What the operator can do if that is why `fetch` failed; undefined otherwise. */
export function authorityFix(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (typeof code !== 'string' || !codes.test(code)) return undefined;
  return 'set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority, or its own if it is self-signed';
}
