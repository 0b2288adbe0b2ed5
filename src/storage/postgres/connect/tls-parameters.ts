/** The parameters of a database URL about TLS, with the names and meanings of libpq. */
import { readFileSync } from 'node:fs';
import { StartError } from '../../../domain/errors.ts';

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof sslModes)[number];

const files = ['sslrootcert', 'sslcert', 'sslkey'] as const;

export type TlsParameters = {
  readonly mode: SslMode;
  /** The path of the authorities of the server's certificate; undefined for the well-known ones. */
  readonly rootCert: string | undefined;
  /** The path of the client's certificate. */
  readonly cert: string | undefined;
  readonly key: string | undefined;
};

/** Undefined if there is another parameter, or an unknown mode. Throws a StartError if the parameters contradict each other. */
export function tlsParameters(parameters: URLSearchParams): TlsParameters | undefined {
  const known: readonly string[] = ['sslmode', ...files];
  const given = parameters.get('sslmode') ?? 'disable';
  const mode = sslModes.find((one) => one === given);
  if (mode === undefined || [...parameters.keys()].some((key) => !known.includes(key))) return undefined;
  const [rootCert, cert, key] = files.map((file) => parameters.get(file) ?? undefined);
  const named = files.find((file) => parameters.has(file));
  // Otherwise the files would look as if they protected the connection.
  if (named !== undefined && (mode === 'disable' || mode === 'prefer'))
    throw new StartError(`${named} in the database URL needs sslmode=require, verify-ca or verify-full, not ${mode}.`);
  if ((cert === undefined) !== (key === undefined))
    throw new StartError(`sslcert and sslkey in the database URL need each other: set both.`);
  return { mode, rootCert, cert, key };
}

export type TlsTexts = { readonly [Name in 'ca' | 'cert' | 'key']: string | undefined };

/** Throws a StartError that names the parameter and the file. */
export function readTlsFiles({ rootCert, cert, key }: TlsParameters): TlsTexts {
  return { ca: read('sslrootcert', rootCert), cert: read('sslcert', cert), key: read('sslkey', key) };
}

function read(parameter: (typeof files)[number], path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new StartError(
      `Cannot read ${parameter} ${path} of the database URL (${(error as Error).message}): check the path and its permissions.`,
    );
  }
}
