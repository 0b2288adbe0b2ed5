/** A route is a declaration: where it is, what it takes, what it answers, and its handler. */
import type { Caller } from '../../domain/caller.ts';
import type { Soon } from '../../domain/soon.ts';
import type { Asker } from '../../domain/store.ts';
import type { Incoming } from '../../wire/incoming.ts';
import type { Reply } from '../../wire/reply.ts';
import type { Operation } from './operation.ts';

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
