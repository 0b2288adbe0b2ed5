/** The functions that the wire calls in the HTTP layer. */
import type { Failure } from '../domain/errors.ts';
import type { Incoming, Peer } from './incoming.ts';
import type { Reply } from './reply.ts';

/** None may throw or reject: an error becomes a reply, too. */
export type Handlers = {
  answer(request: Incoming): Answering;
  /** The reply to input that is not a valid request. */
  refuse(failure: Failure, peer: Peer): Reply;
  /** Logs an unexpected error. */
  report(error: unknown): void;
};

export type Answering = Reply | Pending;

export type Pending = {
  readonly reply: Promise<Reply>;
  /** Makes the reply that is sent instead if the request exceeds its time limit. */
  late(): Reply;
};

/** Totals over all connections of a server. */
export type Load = {
  connections: number;
  /** Bytes of bodies that are arriving or in use, and of unsent answers. */
  held: number;
};
