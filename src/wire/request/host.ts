/** The Host of a request: `uri-host [ ":" port ]` (RFC 9110, section 7.2). */
import { isIP } from 'node:net';

const syntax = /^(?:\[([^\]%]*)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;
/** IPvFuture (RFC 3986): an address format for later versions of IP. */
const ipvFuture = /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i;

export function isHost(text: string): boolean {
  const match = syntax.exec(text);
  if (match === null) return false;
  const [, literal] = match;
  return literal === undefined || isIP(literal) === 6 || ipvFuture.test(literal);
}

/** The name or address in lower case, without port, brackets and the trailing dot of a name. */
export function hostName(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

/** The host of a target that is an absolute URL; undefined for a path or `*`. */
export function hostOfTarget(target: string): string | undefined {
  return /^https?:\/\/([^/?#]*)/i.exec(target)?.[1];
}
