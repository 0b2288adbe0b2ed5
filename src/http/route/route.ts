/** A route is a declaration: method, path, access, OpenAPI operation, and its handler. */
import type { Caller } from '../../domain/caller.ts';
import type { Soon } from '../../domain/soon.ts';
import type { Client, Requester } from '../../domain/store/client.ts';
import type { Trace } from '../../domain/trace.ts';
import type { Reply } from '../../wire/answer/reply.ts';
import type { Incoming } from '../../wire/request/incoming.ts';
import type { Operation } from './operation.ts';
import type { Acting, RouteSight } from './sight.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request, as its handler gets it. */
export type Call = Acting & {
  readonly request: Incoming;
  /** The query string without the question mark; empty if there is none. */
  readonly search: string;
  /** The last path segment, decoded: the value of `{name}` if the route has one. */
  readonly argument: string;
  /** `anybody` if the route needs no scope. */
  readonly caller: Caller;
  readonly requestId: string;
  /** Absent for a request without one. */
  readonly trace: Trace | undefined;
  /** Limited resources are shared fairly among these. */
  readonly client: Client;
  /** For work that clients do in turns, and that ends when the client disconnects. */
  readonly requester: Requester;
  /** Checks the caller's access again, for an answer that lasts long. */
  stillMay(): Promise<boolean>;
};

export type Route = {
  readonly method: Method;
  /** How it applies the rules of a caller with a role. */
  readonly sight: RouteSight;
  /** The collection that it reads or writes, if any; `by query` if the query or the body names it, as for the change feed. */
  readonly collection?: string;
  /**
   * `open` needs no key in any auth mode. `always` is also exempt from the rate limit and the limit on requests in flight.
   * `anybody` needs none either, but its handler gets the caller if a key is sent, and an invalid key is refused.
   * `admin` needs that scope. `read` needs only the scope of a GET, though it is another method. `key` needs the scope `read` also where other
   * reads need no key.
   */
  readonly access?: 'open' | 'always' | 'anybody' | 'admin' | 'read' | 'key';
  /** A query parameter that needs the scope `admin`. */
  readonly adminParameter?: string;
  /** Accepts a ticket in the query in place of a key. */
  readonly takesTicket?: true;
  /** Checks its query itself, though its operation lists no parameter. */
  readonly readsQuery?: true;
  /** The media types that a PATCH accepts; OPTIONS lists them (RFC 5789). */
  readonly patchTypes?: readonly string[];
  /**
   * Literal, except for a last segment `{name}`, which the handler gets as `argument`. `{name...}` matches all that
   * is below its folder and has no route of its own.
   */
  readonly path: string;
  /** Absent for pages and their assets, which are not in OpenAPI. */
  readonly operation?: Operation;
  handle(call: Call): Soon<Reply>;
};
/** A page or a file, which needs no key and is not in OpenAPI. */
export function openRoute(path: string, handle: Route['handle']): Route {
  return { method: 'GET', sight: 'open', path, access: 'open', handle };
}
