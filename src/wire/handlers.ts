/** What the wire needs of whoever answers, and what it tells them. */
import type { Failure } from '../domain/errors.ts';
import type { Soon } from '../domain/soon.ts';
import type { Incoming, Peer } from './incoming.ts';
import type { Reply } from './reply.ts';

/** None may throw or reject: whatever goes wrong is a reply too. */
export type Handlers = {
  answer(request: Incoming): Soon<Reply>;
  /** To a request that takes longer than it may; what its answer would have been is dropped. */
  late(request: Incoming): Reply;
  /** To what is not a request at all. */
  refuse(failure: Failure, peer: Peer): Reply;
  /** What should not have happened. */
  report(error: unknown): void;
};

/** What the connections of a server have in hand together, for whoever decides how much more to take on. */
export type Load = {
  connections: number;
  /** Bytes of bodies that have not all come, and of answers that have not all gone. */
  held: number;
};
