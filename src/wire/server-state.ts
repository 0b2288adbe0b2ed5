/** State that all connections of a server share. */

import type { HeadEnds } from './answer/reply.ts';
import type { SharedFiles } from './answer/shared-files.ts';
import type { StreamTurns } from './answer/stream-turns.ts';
import type { Load } from './load.ts';

/**
 * `draining`: an answer ends its connection, unless the next request has arrived. `stopping`: idle connections are
 * closed.
 */
export type Stage = 'serving' | 'draining' | 'stopping';

export type ServerState = {
  stage: Stage;
  readonly load: Load;
  /** Seconds for the answer once the body is complete; also for a body that arrives below the minimum rate. */
  readonly requestSeconds: number;
  /** Seconds that an idle connection stays open for the next request. */
  readonly keepAliveSeconds: number;
  /** Seconds that a body may take to arrive, at any rate. */
  readonly bodySeconds: number;
  /** Seconds since the server started. */
  now: number;
  /** Schedules the parts of long answers. */
  readonly turns: StreamTurns;
  /** An answer is assembled here, so that it is sent in one write. */
  readonly scratch: Buffer;
  /** Undefined where the system has none. */
  readonly files: SharedFiles | undefined;
  headEnds: HeadEnds;
};
