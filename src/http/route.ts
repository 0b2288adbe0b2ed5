/** A route is a declaration: where it is, what it takes, what it answers, and its handler. */
import type { TSchema } from 'typebox';
import type { FailureCode } from '../domain/errors.ts';

export type Method = 'GET' | 'POST' | 'DELETE';

/** One request on its way through a handler. */
export type Call = {
  readonly request: Request;
  /** What stands in the path where the route has `{name}`; empty where it has none. */
  readonly argument: string;
  /** Lets the answer take as long as its reader needs. */
  keepOpen(): void;
  /** Logs an error that comes too late to be answered. */
  report(error: unknown): void;
};

export type Content = Readonly<Record<string, { readonly schema: TSchema; readonly example?: unknown }>>;

export function jsonContent(schema: TSchema, example: unknown): Content {
  return { 'application/json': { schema, example } };
}

export type Answer = { readonly status: number; readonly description: string; readonly content?: Content };

/** What OpenAPI says of a route. */
export type Operation = {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly parameter?: { readonly name: string; readonly description: string; readonly schema: TSchema };
  readonly body?: { readonly schema: TSchema; readonly example: unknown };
  readonly answers: readonly Answer[];
  readonly failures: readonly FailureCode[];
};

export type Route = {
  readonly method: Method;
  /** Segments are literal, or `{name}` for one that the handler reads. */
  readonly path: string;
  /** Absent on what is not an API: pages and their assets. */
  readonly operation?: Operation;
  handle(call: Call): Response | Promise<Response>;
};

export type Match =
  | { readonly kind: 'route'; readonly route: Route; readonly argument: string }
  | { readonly kind: 'other methods'; readonly allow: string }
  | { readonly kind: 'nothing' };

type Node = { literal: Map<string, Node>; argument?: Node; methods: Map<string, Route>; allow: string };

/** Compiles the list of routes into a look-up by method and encoded path. HEAD is served by GET. */
export function routeTable(routes: readonly Route[]): (method: string, path: string) => Match {
  const root = newNode();
  for (const route of routes) {
    const node = segments(route.path).reduce((at, segment) => child(at, segment), root);
    if (node.methods.has(route.method)) throw new Error(`${route.method} ${route.path} is declared twice`);
    node.methods.set(route.method, route);
    if (route.method === 'GET') node.methods.set('HEAD', route);
    node.allow = [...node.methods.keys(), 'OPTIONS'].join(', ');
  }

  return (method, path) => {
    let node = root;
    let argument = '';
    for (const raw of segments(path)) {
      const segment = decode(raw);
      const literal = node.literal.get(segment);
      if (literal !== undefined) node = literal;
      else if (node.argument !== undefined && segment !== '') {
        node = node.argument;
        argument = segment;
      } else return { kind: 'nothing' };
    }
    const route = node.methods.get(method);
    if (route !== undefined) return { kind: 'route', route, argument };
    return node.methods.size > 0 ? { kind: 'other methods', allow: node.allow } : { kind: 'nothing' };
  };
}

function newNode(): Node {
  return { literal: new Map(), methods: new Map(), allow: '' };
}

function child(node: Node, segment: string): Node {
  if (segment.startsWith('{')) {
    node.argument ??= newNode();
    return node.argument;
  }
  const next = node.literal.get(segment) ?? newNode();
  node.literal.set(segment, next);
  return next;
}

function segments(path: string): string[] {
  return path.slice(1).split('/');
}

/** `%37` is `7` (RFC 3986); what is no valid encoding stays as it is, and so matches no name and is no id. */
function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
