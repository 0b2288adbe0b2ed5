/** TLS to PostgreSQL. */
import type { SQL } from 'bun';
import { readTlsFiles, type TlsParameters, tlsParameters } from './tls-parameters.ts';

type Tls = NonNullable<SQL.PostgresOrMySQLOptions['tls']>;

/** Reads the files that the URL names, for new connections. If one cannot be read, no connection can be made. */
export function tlsOf(parameters: URLSearchParams): Tls {
  const found = tlsParameters(parameters);
  if (found === undefined || found.mode === 'disable' || found.mode === 'prefer') return found?.mode ?? 'disable';
  try {
    return verification(found);
  } catch (error) {
    // The start has read the file, so it was removed since then.
    return { rejectUnauthorized: true, checkServerIdentity: () => error as Error };
  }
}

function verification(parameters: TlsParameters): Tls {
  const { ca, cert, key } = readTlsFiles(parameters);
  const identity = cert === undefined || key === undefined ? {} : { cert, key };
  if (parameters.mode === 'require' && ca === undefined) return { ...identity, rejectUnauthorized: false };
  return {
    ...identity,
    ...(ca === undefined ? {} : { ca }),
    // Explicitly, because an environment variable of the runtime could turn it off.
    rejectUnauthorized: true,
    // As in libpq: with the authorities at hand, `require` checks the certificate, but not its name.
    ...(parameters.mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  };
}
