/** The Host of a request: `uri-host [ ":" port ]` (RFC 9110, section 7.2). */
import { isIP } from 'node:net';

const syntax = /^(?:\[([^\]%]*)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;
/** An address of a kind that is still to come (RFC 3986, IPvFuture). */
const future = /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i;

export function isHost(text: string): boolean {
  const match = syntax.exec(text);
  if (match === null) return false;
  const [, literal] = match;
  return literal === undefined || isIP(literal) === 6 || future.test(literal);
}

/** The name or address alone, in lower case: without the port, the brackets and the dot that may end a name. */
export function hostName(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

/** The host in a target that is a whole address; undefined where it is a path or a star. */
export function hostOfTarget(target: string): string | undefined {
  return /^https?:\/\/([^/?#]*)/i.exec(target)?.[1];
}
