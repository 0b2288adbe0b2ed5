/** Requests by the semantic conventions for HTTP. No query, no key and no body is in them: those have values of clients. */
import type { Context } from '../http/route/context.ts';
import type { Incoming, Peer } from '../wire/request/incoming.ts';
import { type Attributes, SharedAttributes } from './protobuf.ts';

/** Those of RFC 9110 and RFC 5789. Any other method is `_OTHER`: clients can invent methods. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE', '_OTHER'] as const;
export type Method = (typeof methods)[number];

/** A loop takes a third of the time of a set: most requests have one of the first. */
export function methodOf(sent: string): Method {
  for (const method of methods) if (method === sent) return method;
  return '_OTHER';
}

export function schemeOf({ isSecure }: Peer): 'http' | 'https' {
  return isSecure ? 'https' : 'http';
}

/** Of HTTP. */
export function versionOf({ head }: Incoming): '1.0' | '1.1' {
  return head.fields.modern ? '1.1' : '1.0';
}

/** What requests are counted by. */
export type RequestLabels = {
  readonly method: string;
  readonly scheme: string;
  /** Of HTTP; undefined for input that was no request. */
  readonly version: string | undefined;
  /** Empty without one. */
  readonly route: string;
  readonly status: number;
  /** The code of a failure of the server; undefined for any other answer. */
  readonly error: string | undefined;
};

export function labelsOf(request: Incoming, { route, failure }: Context, status: number): RequestLabels {
  const error = status >= 500 ? (failure ?? String(status)) : undefined;
  const [method, scheme] = [methodOf(request.method), schemeOf(request.peer)];
  return { route, method, scheme, version: versionOf(request), status, error };
}

export function labelAttributes({ method, scheme, version, route, status, error }: RequestLabels): Attributes {
  return {
    'http.request.method': method,
    'url.scheme': scheme,
    'http.route': route === '' ? undefined : route,
    'http.response.status_code': status,
    'network.protocol.version': version,
    'error.type': error,
  };
}

/** The server by the header Host, which is mostly that of the request before. */
export class ServerAttributes {
  #host = '';
  #shared = new SharedAttributes({});

  of({ head: { fields } }: Incoming): SharedAttributes {
    const { host = '' } = fields;
    if (host !== this.#host) {
      this.#host = host;
      const [, address, port] = /^(.+?)(?::(\d{1,5}))?$/.exec(host) ?? [];
      this.#shared = new SharedAttributes({
        'server.address': address?.replace(/^\[(.*)\]$/, '$1'),
        'server.port': port === undefined ? undefined : Number(port),
      });
    }
    return this.#shared;
  }
}
