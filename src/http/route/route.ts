/** A route is a declaration: where it is, what it takes, what it answers, and its handler. */
import type { TSchema } from 'typebox';
import type { Caller } from '../../domain/caller.ts';
import type { FailureCode } from '../../domain/errors.ts';
import type { Soon } from '../../domain/soon.ts';
import type { Asker } from '../../domain/store.ts';
import type { Incoming } from '../../wire/incoming.ts';
import type { Reply } from '../../wire/reply.ts';
import type { AnswerHeader } from './answer-headers.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One request on its way through a handler. */
export type Call = {
  readonly request: Incoming;
  /** What follows the question mark; empty where there is none. */
  readonly search: string;
  /** What stands in the path where the route has `{name}`; empty where it has none. */
  readonly argument: string;
  /** Who asks. */
  readonly caller: Caller;
  /** The network that it comes from, by which clients share what there is. */
  readonly client: string;
  /** For work that is done in turns, and ends when the client leaves. */
  readonly asker: Asker;
  /** Whether they still may, should they stay for long. */
  stillMay(): Promise<boolean>;
  /** Logs an error that comes too late to be answered. */
  report(error: unknown): void;
};

export type Content = Readonly<Record<string, { readonly schema: TSchema; readonly example?: unknown }>>;

export function jsonContent(schema: TSchema, example: unknown): Content {
  return { 'application/json': { schema, example } };
}

export type Answer = {
  readonly status: number;
  readonly description: string;
  /** Beside those that every answer has. */
  readonly headers?: readonly AnswerHeader[];
  readonly content?: Content;
};

/** What a read with a tag can answer. */
export const unchanged: Answer = {
  status: 304,
  description: 'You have it already: it is the one named in If-None-Match.',
  headers: ['ETag', 'Vary', 'Content-Encoding'],
};

/** How the database can fail a read, and a write. */
export const readFailures = ['not_ready', 'overloaded'] as const satisfies readonly FailureCode[];
export const writeFailures = [
  'storage_unavailable',
  'outcome_unknown',
  'overloaded',
] as const satisfies readonly FailureCode[];

export type Parameter = {
  readonly name: string;
  readonly description: string;
  readonly schema: TSchema;
  /** How a list is written; `explode: false` separates its values by commas. */
  readonly style?: 'form';
  readonly explode?: boolean;
};

/** What OpenAPI says of a route. */
export type Operation = {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  /** What the parameters and schemas cannot say. */
  readonly description?: string;
  readonly parameter?: Parameter;
  readonly queries?: readonly Parameter[];
  /** Headers that it acts on. */
  readonly headers?: readonly Parameter[];
  /** By the type of its content. */
  readonly body?: Content;
  readonly answers: readonly Answer[];
  readonly failures: readonly FailureCode[];
  /** How failures are told: as the contract has it, or by RFC 9457. */
  readonly problems?: true;
};

export type Route = {
  readonly method: Method;
  /** Whose records it is about, where it is about some; the feed of changes is told which by its query. */
  readonly collection?: string;
  /**
   * Open to everybody whatever needs a key; open even when everything is full; for administrators alone; or for whoever may
   * read, though it is no GET.
   */
  readonly access?: 'open' | 'always' | 'admin' | 'read';
  /** A ticket in the query does instead of a key. */
  readonly takesTicket?: true;
  /** Of a PATCH: the types of body that it takes, which OPTIONS tells (RFC 5789). */
  readonly patchTypes?: readonly string[];
  /** Literal, but for a last segment `{name}` that the handler reads. */
  readonly path: string;
  /** Absent on what is not an API: pages and their assets. */
  readonly operation?: Operation;
  handle(call: Call): Soon<Reply>;
};

export type Match =
  | { readonly kind: 'route'; readonly route: Route; readonly argument: string }
  | { readonly kind: 'other methods'; readonly allow: string; readonly patchTypes: readonly string[] }
  | { readonly kind: 'nothing' };

type Place = { readonly methods: Map<string, Route>; allow: string; patchTypes: readonly string[] };

/** The last path segment: literal names, and `any` for a parameter such as `{id}`. */
type Folder = { readonly names: Map<string, Place>; any: Place | undefined };

/** Compiles the list of routes into a look-up by method and encoded path. HEAD is served by GET. */
export function routeTable(routes: readonly Route[]): (method: string, path: string) => Match {
  const folders = new Map<string, Folder>();
  for (const route of routes) {
    const slash = route.path.lastIndexOf('/');
    const last = route.path.slice(slash + 1);
    const folder = folders.get(route.path.slice(0, slash)) ?? { names: new Map(), any: undefined };
    folders.set(route.path.slice(0, slash), folder);
    const isArgument = /^\{\w+\}$/.test(last);
    const place = (isArgument ? folder.any : folder.names.get(last)) ?? {
      methods: new Map(),
      allow: '',
      patchTypes: [],
    };
    if (isArgument) folder.any = place;
    else folder.names.set(last, place);
    if (place.methods.has(route.method)) throw new Error(`${route.method} ${route.path} is declared twice`);
    place.methods.set(route.method, route);
    if (route.patchTypes !== undefined) place.patchTypes = route.patchTypes;
    if (route.method === 'GET') place.methods.set('HEAD', route);
    place.allow = [...place.methods.keys(), 'OPTIONS'].join(', ');
  }

  return (method, encoded) => {
    const path = encoded.includes('%') ? encoded.split('/').map(decode).join('/') : encoded;
    const slash = path.lastIndexOf('/');
    const last = path.slice(slash + 1);
    const folder = folders.get(path.slice(0, slash));
    const place = folder?.names.get(last) ?? (last === '' ? undefined : folder?.any);
    if (place === undefined) return { kind: 'nothing' };
    const route = place.methods.get(method);
    if (route !== undefined) return { kind: 'route', route, argument: last };
    const { allow, patchTypes } = place;
    return { kind: 'other methods', allow, patchTypes };
  };
}

/** `%37` is `7` (RFC 3986); what is no valid encoding, or would be a slash, stays as it is and so matches nothing. */
function decode(segment: string): string {
  try {
    const decoded = decodeURIComponent(segment);
    return decoded.includes('/') ? segment : decoded;
  } catch {
    return segment;
  }
}
