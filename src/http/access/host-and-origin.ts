/**
 * Refuses requests that a foreign web page makes its user's browser send. DNS rebinding: the page's host name resolves to
 * 127.0.0.1, so the browser takes it for a page of this server, but the Host header still has that name. Cross-origin
 * writes: checked by the rules of Go's http.CrossOriginProtection.
 */
import { Failure } from '../../domain/errors.ts';
import { hostName, hostOfTarget } from '../../wire/request/host.ts';
import type { Incoming } from '../../wire/request/incoming.ts';
import { isLoopback } from './client-address.ts';

export type OriginCheckOptions = {
  /** Host names that are served besides those of loopback; undefined to serve all. */
  readonly hosts: readonly string[] | undefined;
  /** Origins whose pages may write; `*` for all. */
  readonly origins: readonly string[];
};

/** Returns the reason to refuse a request; undefined if there is none. */
export function originCheck({ hosts, origins }: OriginCheckOptions): (request: Incoming) => Failure | undefined {
  const allowed = new Set(hosts?.map(hostName));
  /** Most requests have the same Host, so it is checked once. */
  let lastAllowed: string | undefined;

  function isAllowed(host: string): boolean {
    const name = hostName(host);
    if (!isLoopbackName(name) && !allowed.has(name)) return false;
    lastAllowed = host;
    return true;
  }

  return (request) => {
    const { fields } = request.head;
    // A target in absolute form takes precedence over Host (RFC 9112, section 3.2.2).
    const host = request.target.startsWith('/') ? fields.host : (hostOfTarget(request.target) ?? fields.host);
    // A request without a Host (HTTP/1.0) is not from a browser.
    if (hosts !== undefined && host !== lastAllowed && host !== undefined && !isAllowed(host)) return foreignHost(host);
    if (!fields.fromBrowser || isSafe(request.method)) return undefined;
    return isCrossOrigin(request, host, origins) ? new Failure('cross_origin') : undefined;
  };
}

/** `localhost` and all names under it resolve to loopback (RFC 6761, section 6.3). */
function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || isLoopback(name);
}

function foreignHost(host: string): Failure {
  const name = hostName(host);
  return new Failure('host_not_allowed', {
    detail: `The host ${JSON.stringify(host)} is not served: use localhost, or start Shelf with --allowed-hosts ${name === '' ? 'NAME' : name}.`,
  });
}

function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

function isCrossOrigin(request: Incoming, host: string | undefined, origins: readonly string[]): boolean {
  const site = request.header('sec-fetch-site');
  const origin = request.header('origin');
  if (site === 'same-origin' || site === 'none') return false;
  // Browsers send Sec-Fetch-Site only to https and loopback; elsewhere Origin is compared with Host. Only by host: a proxy
  // may have terminated TLS.
  if (site === null && (origin === null || (host !== undefined && hostOfTarget(origin) === host))) return false;
  return !origins.includes('*') && (origin === null || !origins.includes(origin));
}
