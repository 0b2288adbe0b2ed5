/** Why a TLS connection to PostgreSQL could not be made, and the fix. */

type Reason = { readonly codes: RegExp; readonly reason: string; readonly fix: string };

const reasons: readonly Reason[] = [
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    reason: 'the certificate of its server is for another name',
    fix: 'connect to a name in the certificate, or use sslmode=verify-ca',
  },
  {
    codes: /^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_|CERT_UNTRUSTED|INVALID_CA|CERT_SIGNATURE|CERT_CHAIN)/,
    reason: 'the certificate of its server is from an unknown authority',
    fix: 'set sslrootcert to the certificate of that authority',
  },
  {
    codes: /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    reason: 'the certificate of its server has expired or is not valid yet',
    fix: 'renew the certificate of the server',
  },
  {
    codes: /^ERR_POSTGRES_TLS_NOT_AVAILABLE$/,
    reason: 'its server does not offer TLS',
    fix: 'turn on ssl in PostgreSQL, or change sslmode in --database',
  },
  {
    codes: /^(EPROTO|ERR_BORINGSSL)$/,
    reason: 'TLS failed',
    fix: 'check sslrootcert, sslcert and sslkey in --database',
  },
];

const reasonOf = (error: unknown): Reason | undefined => {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? reasons.find(({ codes }) => codes.test(code)) : undefined;
};

export function isTlsError(error: unknown): boolean {
  return reasonOf(error) !== undefined;
}

/** Undefined if the error is of another kind. */
export function tlsReason(error: unknown): string | undefined {
  const found = reasonOf(error);
  if (found === undefined) return undefined;
  // `error:10000418:SSL routines:OPENSSL_internal:TLSV1_ALERT_UNKNOWN_CA`
  const detail = /:([A-Z\d_]+)$/.exec(error instanceof Error ? error.message : '')?.[1];
  return detail === undefined ? found.reason : `${found.reason}: ${detail.toLowerCase().replaceAll('_', ' ')}`;
}

/** What the operator can do; undefined if the error is of another kind. */
export function tlsFix(error: unknown): string | undefined {
  return reasonOf(error)?.fix;
}
