/**
 * What a web page could make a browser do to a server that its user can reach, and is refused. By DNS rebinding, a page
 * whose host name is made to mean 127.0.0.1 counts as a page of this server: its Host gives it away. A page that stays
 * what it is can still send writes: they are judged as Go's http.CrossOriginProtection judges them.
 */
import { Failure } from '../../domain/errors.ts';
import { hostName, hostOfTarget } from '../../wire/host.ts';
import type { Incoming } from '../../wire/incoming.ts';
import { isLoopback } from './client-address.ts';

export type DoorOptions = {
  /** Names that are served beside those of loopback; undefined where all are. */
  readonly hosts: readonly string[] | undefined;
  /** Of pages that may write; `*` stands for all. */
  readonly origins: readonly string[];
};

/** Answers why a request is refused; undefined where it is not. */
export function doorOf({ hosts, origins }: DoorOptions): (request: Incoming) => Failure | undefined {
  const allowed = new Set(hosts?.map(hostName));
  /** Most requests come with the same one: it is judged once. */
  let lastAllowed: string | undefined;

  function isAllowed(host: string): boolean {
    const name = hostName(host);
    if (!isLoopbackName(name) && !allowed.has(name)) return false;
    lastAllowed = host;
    return true;
  }

  return (request) => {
    const { fields } = request.asked;
    // A whole address in place of a path counts for more than the Host (RFC 9112, section 3.2.2).
    const host = request.target.startsWith('/') ? fields.host : (hostOfTarget(request.target) ?? fields.host);
    // Without one, as HTTP/1.0 may be, it is no browser.
    if (hosts !== undefined && host !== lastAllowed && host !== undefined && !isAllowed(host)) return foreignHost(host);
    if (!fields.fromBrowser || isSafe(request.method)) return undefined;
    return isCrossOrigin(request, host, origins) ? new Failure('cross_origin') : undefined;
  };
}

/** `localhost` and all names under it are this machine (RFC 6761, section 6.3). */
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
  // Browsers tell the site to https and loopback alone; elsewhere the origin has to do. A proxy may have ended TLS, so
  // that only the hosts can be compared.
  if (site === null && (origin === null || (host !== undefined && hostOfTarget(origin) === host))) return false;
  return !origins.includes('*') && (origin === null || !origins.includes(origin));
}
