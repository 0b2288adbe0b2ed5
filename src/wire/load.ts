/** The connections of the process and the bytes that they hold, over all threads that serve. Each client gets at most its share. */

import type { Client } from '../domain/store/client.ts';
import { kibibytes, Shares } from '../threads/limits/shares.ts';
import type { ProcessState } from '../threads/process-state.ts';
import type { Origin, Sender } from './request/incoming.ts';

export type LoadLimits = {
  /** A connection beyond these is over the limit: `Peer.overLimit`. */
  readonly maxConnections: number;
  /** Connections over the limit; any more are closed at once. */
  readonly overLimitConnections: number;
  /** Bytes of bodies and answers; beyond this no request is accepted. */
  readonly maxHeld: number;
  /** Who opens a connection, and who sends a request: a proxy sends those of many clients on one connection. */
  connectionClient(from: Origin): Client;
  requestClient(request: Sender): Client;
};

/** Of a connection that counts. */
export type Slot = {
  readonly overLimit: boolean;
  giveBack(): void;
};

export class Load {
  readonly #within: Shares<Origin>;
  readonly #overLimit: Shares<Origin>;
  /** In KiB. */
  readonly #held: Shares<Sender>;

  constructor(
    readonly limits: LoadLimits,
    state?: Pick<ProcessState, 'connections' | 'overLimit' | 'held'>,
  ) {
    const { maxConnections, overLimitConnections, maxHeld, connectionClient, requestClient } = limits;
    this.#within = new Shares(maxConnections, connectionClient, state?.connections);
    this.#overLimit = new Shares(overLimitConnections, connectionClient, state?.overLimit);
    this.#held = new Shares(kibibytes(maxHeld), requestClient, state?.held);
  }

  /** Connections open. */
  get connections(): number {
    return this.#within.used + this.#overLimit.used;
  }

  /** Bytes of bodies that are arriving or in use, and of unsent answers: whole KiB of each request. */
  get held(): number {
    return this.#held.used * 1024;
  }

  /** Counts a connection. Undefined if there is no room for it, not even over the limit. */
  enter(from: Origin): Slot | undefined {
    return take(this.#within, from, false) ?? take(this.#overLimit, from, true);
  }

  /** Whether a request can be accepted: neither all clients together nor this one alone hold too much. */
  hasRoom(request: Sender): boolean {
    return this.#held.hasRoom(request);
  }

  /** The counter of the client that sends this request. */
  holderOf(request: Sender): number {
    return this.#held.counterOf(request);
  }

  /** Whether a body of this client that holds `own` bytes may grow: one alone may be larger than the share. */
  mayGrow(holder: number, own: number): boolean {
    return this.#held.mayGrow(holder, kibibytes(own));
  }

  /** A request has held some bytes, and holds others now. */
  hold(before: number, now: number, holder: number): void {
    this.#held.add(holder, kibibytes(now) - kibibytes(before));
  }
}

function take(shares: Shares<Origin>, from: Origin, overLimit: boolean): Slot | undefined {
  const slot = shares.tryTake(from);
  return slot === undefined ? undefined : { overLimit, giveBack: () => shares.giveBack(slot) };
}
