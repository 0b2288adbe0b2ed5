/** A store's life, and what it has besides records. */

import type { Soon } from '../soon.ts';
import type { ApiKeys } from './api-keys.ts';
import type { Figures } from './figures.ts';
import type { Tickets } from './tickets.ts';

/** How other threads of the process serve the same store. */
export type Sharing = {
  /** What such a thread opens it with; it can be posted. */
  readonly data: unknown;
  /** Calls `take` with a port to the writer, again after each restart of the writer, and `lose` when the writer has ended. */
  connect(thread: { take(port: MessagePort): void; lose(cause: Error): void }): void;
};

export interface Admin {
  /** Resolves when requests can be served; rejects with a StartError if they never can. */
  readonly ready: Promise<void>;
  /** This start created the database; valid once `ready` has resolved. */
  readonly isNew: boolean;
  /** Collections that the database has and that are not served, once it is ready. */
  readonly unserved: readonly string[];
  /** Undefined if the engine serves from one thread. */
  readonly sharing: Sharing | undefined;

  readonly apiKeys: ApiKeys;
  /** Tickets of callers that are about to open the live feed. */
  readonly tickets: Tickets;
  /** A random secret stored in the database, to sign cursors and tickets; each epoch has a new one. */
  secret(): Soon<string>;
  /** Deletes the idempotency keys older than this, by the clock that stamps the changes. */
  forgetIdempotencyKeys(keptMs: number): Promise<void>;

  figures(): Figures;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  /** Finishes the writes in flight and closes the database. */
  close(): Promise<void>;
}
