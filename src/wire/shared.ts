/** What all connections of a server share. */
import type { Handlers, Load } from './handlers.ts';
import type { HeadEnds } from './reply.ts';
import type { Turns } from './turns.ts';

/** `draining`: an answer ends its connection, unless the next request has arrived already. `stopping`: idle ones are closed. */
export type Stage = 'serving' | 'draining' | 'stopping';

export type Shared = {
  stage: Stage;
  readonly handlers: Handlers;
  readonly load: Load;
  /** In seconds: how long one request may take, its body included. */
  readonly patience: number;
  /** In seconds: how long a connection is kept for the next request. */
  readonly keepAlive: number;
  /** In seconds: how long a body may take to arrive, at whatever pace. */
  readonly bodyPatience: number;
  /** Seconds since the server started. */
  now: number;
  /** Long answers are sent one part at a time. */
  readonly turns: Turns;
  /** An answer is put together here, so that it is sent in one piece. */
  readonly scratch: Buffer;
  headEnds: HeadEnds;
};
