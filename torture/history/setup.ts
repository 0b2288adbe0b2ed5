/** Servers on one engine, and what can be done to them. */
import type { Random } from '../../test/random.ts';

export type Fault = {
  readonly name: string;
  /** Breaks something for a while, and puts it right before it resolves. */
  inflict(random: Random): Promise<void>;
};

export type Setup = {
  readonly faults: readonly Fault[];
  /** Where clients can connect; a port may be that of a server that is down. */
  ports(): readonly number[];
  /** Ends the servers in good order; answers what is wrong with what they stored. */
  verify(): Promise<string[]>;
  /** Ends and removes everything, whatever has happened. */
  close(): Promise<void>;
};
