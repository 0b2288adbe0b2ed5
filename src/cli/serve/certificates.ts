/** The files of --tls-cert, --tls-key and --tls-client-ca: read, checked, and read again when they are renewed. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { StartError } from '../../domain/errors.ts';
import type { TlsFiles } from '../../wire/port/tls.ts';
import type { Config } from '../settings/settings.ts';

/** The paths. */
export type TlsPaths = { readonly cert: string; readonly key: string; readonly clientCa: string | undefined };

export type Certificate = {
  readonly files: TlsFiles;
  /** The subject, such as `CN=shelf.example.com`. */
  readonly name: string;
  readonly expires: Date;
};

export type Identity = { readonly paths: TlsPaths; readonly certificate: Certificate };

/** Undefined for plain HTTP. Throws a StartError. */
export function readIdentity(settings: Config['tls']): Identity | undefined {
  const paths = pathsOf(settings);
  return paths === undefined ? undefined : { paths, certificate: readCertificate(paths, new Date()) };
}

function pathsOf({ cert, key, clientCa, redirect }: Config['tls']): TlsPaths | undefined {
  if (cert.value !== undefined && key.value !== undefined)
    return { cert: cert.value, key: key.value, clientCa: clientCa.value };
  if (cert.value !== undefined)
    throw new StartError('--tls-cert needs --tls-key: set it to the key of the certificate.');
  if (key.value !== undefined)
    throw new StartError('--tls-key needs --tls-cert: set it to the certificate of the key.');
  if (clientCa.value !== undefined)
    throw new StartError('--tls-client-ca needs --tls-cert and --tls-key: plain HTTP has no client certificates.');
  if (redirect.value !== undefined)
    throw new StartError('--http-redirect needs --tls-cert and --tls-key: there is no HTTPS to redirect to.');
  return undefined;
}

/** Throws a StartError that names the file and the fix. */
export function readCertificate(paths: TlsPaths, now: Date): Certificate {
  const files = readFiles(paths);
  const leaf = certificateIn(files.cert, '--tls-cert', paths.cert);
  const key = keyIn(files.key, paths.key);
  const expires = new Date(leaf.validTo);
  const begins = new Date(leaf.validFrom);
  if (!leaf.checkPrivateKey(key)) {
    throw new StartError(
      `--tls-key ${paths.key} is not the key of --tls-cert ${paths.cert}: set both to files of the same certificate.`,
    );
  }
  if (expires <= now)
    throw new StartError(`--tls-cert ${paths.cert} has expired (${day(expires)}): renew the certificate.`);
  if (begins > now)
    throw new StartError(
      `--tls-cert ${paths.cert} is not valid before ${day(begins)}: check the clock of this machine.`,
    );
  if (files.clientCa !== undefined && paths.clientCa !== undefined)
    certificateIn(files.clientCa, '--tls-client-ca', paths.clientCa);
  return { files, name: leaf.subject?.split('\n').join(', ') ?? '', expires };
}

export function readFiles({ cert, key, clientCa }: TlsPaths): TlsFiles {
  return {
    cert: read('--tls-cert', cert),
    key: read('--tls-key', key),
    clientCa: clientCa === undefined ? undefined : read('--tls-client-ca', clientCa),
  };
}

function read(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new StartError(
      `Cannot read ${flag} ${path} (${(error as Error).message}): check the path and its permissions.`,
    );
  }
}

/** Checks every certificate in the text, and returns the first. */
function certificateIn(text: string, flag: string, path: string): X509Certificate {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  try {
    const [first] = blocks.map((block) => new X509Certificate(block));
    if (first !== undefined) return first;
  } catch {
    // The same mistake as a file without one.
  }
  throw new StartError(`${flag} ${path} has no valid certificate: set it to a PEM file (-----BEGIN CERTIFICATE-----).`);
}

function keyIn(text: string, path: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch {
    const encrypted = /ENCRYPTED/.test(text);
    throw new StartError(
      encrypted
        ? `--tls-key ${path} is encrypted: store it without a passphrase, readable by this user only.`
        : `--tls-key ${path} has no valid private key: set it to a PEM file (-----BEGIN PRIVATE KEY-----).`,
    );
  }
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}
