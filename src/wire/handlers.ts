/** What the wire asks of the floor above, and what it reports to it. */
import type { Failure } from '../domain/errors.ts';
import type { Incoming, Peer } from './incoming.ts';
import type { Reply } from './reply.ts';

/** None may throw or reject: every error is a reply, too. */
export type Handlers = {
  answer(request: Incoming): Answering;
  /** The reply to input that is not a request. */
  refuse(failure: Failure, peer: Peer): Reply;
  /** An unexpected error. */
  report(error: unknown): void;
};

export type Answering = Reply | Pending;

export type Pending = {
  readonly reply: Promise<Reply>;
  /** The reply in place of it when the request takes longer than it may. */
  late(): Reply;
};

/** What the connections of a server hold together. */
export type Load = {
  connections: number;
  /** Bytes of bodies that have not arrived in full, and of answers that have not been sent in full. */
  held: number;
};
