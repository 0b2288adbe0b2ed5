/** The URLs of an issuer. Over http, anybody on the way could replace its keys, so only loopback may have it. */
import { isLoopback } from './client-address.ts';

/** Bounds the connections that a start opens. */
const maxIssuers = 16;
/** Names of callers contain the issuer. */
const maxLength = 200;

/** Issuers, separated by commas; undefined if one cannot be one, or is there twice. */
export function parseIssuers(text: string): readonly string[] | undefined {
  const issuers = text.split(',').map((one) => one.trim());
  const isRight = issuers.every(isIssuer) && new Set(issuers).size === issuers.length;
  return isRight && issuers.length <= maxIssuers ? issuers : undefined;
}

/** OpenID Connect Discovery, section 3: a URL without query and fragment. An @ separates it from the subject in names of callers. */
function isIssuer(text: string): boolean {
  return text.length <= maxLength && /^[!-~]+$/.test(text) && !/[?#@]/.test(text) && isUrlOf(text, text);
}

/** Whether an issuer may name this URL: https, or http on loopback by an issuer that is there itself. */
export function isUrlOf(issuer: string, url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, password } = new URL(url);
  // In a Content-Security-Policy, a star would stand for other hosts.
  if (username !== '' || password !== '' || hostname.includes('*')) return false;
  if (protocol === 'https:') return true;
  const name = hostname.replace(/^\[(.*)\]$/, '$1');
  return protocol === 'http:' && /^http:/i.test(issuer) && (name === 'localhost' || isLoopback(name));
}
