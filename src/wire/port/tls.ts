/** TLS on a socket: the protocols and ciphers that are served, and the names in a handshake. */
import type { Socket, TLSOptions } from 'bun';

/** PEM texts. */
export type TlsFiles = {
  /** The certificate, followed by its intermediate certificates. */
  readonly cert: string;
  readonly key: string;
  /** The authorities of client certificates; undefined if clients need none. */
  readonly clientCa: string | undefined;
};

const tls12 = 0x0303;
/** In the format of the protocol: each name after its length. */
const http11 = Buffer.from('\x08http/1.1', 'latin1');
/** For TLS 1.2: forward secrecy and authenticated encryption. All ciphers of TLS 1.3 have both. */
const ciphers = ['ECDSA', 'RSA']
  .flatMap((key) => ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'].map((one) => `ECDHE-${key}-${one}`))
  .join(':');

export function tlsOptions({ cert, key, clientCa }: TlsFiles): TLSOptions {
  // Bun's listener has `minVersion`, but its type does not.
  const options: TLSOptions & { minVersion: number } = { cert, key, ciphers, ALPNProtocols: http11, minVersion: tls12 };
  return clientCa === undefined ? options : { ...options, ca: clientCa, requestCert: true, rejectUnauthorized: true };
}

/** Enough for a name, and a bound on what a certificate can add to each line of the log. */
const maxNameLength = 256;

/** The subject of the client's certificate, such as `CN=billing, O=Example`; undefined if it has sent none. */
export function clientName(socket: Socket<unknown>): string | undefined {
  const subject = socket.getPeerCertificate()?.subject as Readonly<Record<string, string | string[]>> | undefined;
  if (subject === undefined) return undefined;
  const parts = Object.entries(subject).map(([type, value]) => `${type}=${[value].flat().join('+')}`);
  return parts.join(', ').slice(0, maxNameLength);
}

/** `error:100000f0:SSL routines:OPENSSL_internal:UNSUPPORTED_PROTOCOL` is `unsupported protocol`. */
export function handshakeReason(error: Error | null): string {
  const message = error?.message ?? 'the handshake failed';
  return /^error:/.test(message) ? message.replace(/^.*:/s, '').replaceAll('_', ' ').toLowerCase() : message;
}

const hasCode = (error: Error | null, code: string) => error !== null && 'code' in error && error.code === code;

/** The client has left, as a check of the port does. */
export const hasLeft = (error: Error | null): boolean => hasCode(error, 'ECONNRESET');

/** What the client has sent after the handshake is not TLS. */
export const isProtocolError = (error: Error): boolean => hasCode(error, 'EPROTO');
