import type { Trace } from '../trace.ts';

/**
 * The network of a client's address, for limits per client. Undefined where one address stands for many clients, which then have no share each: a Unix
 * socket, unless a proxy names the client, and connections of a trusted proxy. A request counts for a TCP proxy that names no client.
 */
export type Client = string | undefined;

/** The client that waits for an answer: clients take turns, and work for a client that has left ends. */
export type Requester = {
  readonly client: Client;
  /** Aborted with a Failure when the client no longer waits; undefined if it always waits. */
  readonly signal: AbortSignal | undefined;
  /** That of its request, if any. */
  readonly trace?: Trace | undefined;
};
