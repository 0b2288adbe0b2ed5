/** The functions that the wire calls in the HTTP layer. */
import type { Failure } from '../domain/errors.ts';
import type { Reply } from './answer/reply.ts';
import type { Incoming, Peer } from './request/incoming.ts';

/** None may throw or reject: an error becomes a reply, too. */
export type Handlers = {
  /** The answer; or, if it takes time, what is sent when it takes too long, and later `send` is called once. */
  answer(request: Incoming, send: (reply: Reply) => void): Reply | Late;
  /** The reply to input that is not a valid request. */
  refuse(failure: Failure, peer: Peer): Reply;
  /** Logs a TLS handshake that has failed. */
  handshakeFailed(reason: string, peer: Peer): void;
  /** Logs an unexpected error. */
  report(error: unknown): void;
};

/** Those whose requests can be held before they are begun. */
export type Holdable = Handlers & {
  /** The reply to a request that was held until its time limit. */
  tooLate(request: Incoming): Reply;
};

/** Makes the reply that is sent instead if the request exceeds its time limit. */
export type Late = () => Reply;
