/** Servers on one engine, and their faults. */
import type { Random } from '../../../test/support/data/random.ts';

export type Fault = {
  readonly name: string;
  /** Causes a fault for a while, and ends it before it resolves. */
  inflict(random: Random): Promise<void>;
};

/** How the servers are started. */
export type ServerOptions = {
  /** Arguments besides those of the database. */
  readonly args?: readonly string[];
  /** For SQLite: the command; that of the tests if absent. */
  readonly program?: readonly string[];
};

export type Setup = {
  readonly faults: readonly Fault[];
  /** Clients that only read, and so go on while every commit waits. */
  readonly readers?: number;
  /** The ports for clients; the server of a port may be down. */
  ports(): readonly number[];
  /** Whether a server has several serving threads. */
  readonly isThreaded?: boolean;
  /** Stops the servers cleanly; returns the errors in the stored data. */
  verify(): Promise<string[]>;
  /** Stops and removes everything, also after a failure. */
  close(): Promise<void>;
};
