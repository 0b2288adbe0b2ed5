/** Requests by the semantic conventions for HTTP. No query, no key and no body is in them: those have values of clients. */
import type { Incoming, Peer } from '../wire/request/incoming.ts';

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

/** From the header Host. */
export function serverOf({ head }: Incoming): { readonly address?: string; readonly port?: number } {
  const [, address, port] = /^(.+?)(?::(\d{1,5}))?$/.exec(head.fields.host ?? '') ?? [];
  if (address === undefined) return {};
  const name = address.replace(/^\[(.*)\]$/, '$1');
  return port === undefined ? { address: name } : { address: name, port: Number(port) };
}
