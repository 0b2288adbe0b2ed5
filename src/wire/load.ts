/** The connections of the process and the bytes that they hold, over all threads that serve. Each client gets at most its share. */
import type { ProcessState } from '../threads/process-state.ts';
import { kibibytes, Shares } from '../threads/shares.ts';

export type LoadLimits = {
  /** A connection beyond these is over the limit: `Peer.overLimit`. */
  readonly maxConnections: number;
  /** Connections over the limit; any more are closed at once. */
  readonly overLimitConnections: number;
  /** Bytes of bodies and answers; beyond this no request is accepted. */
  readonly maxHeld: number;
  /** The client at an address; undefined for a trusted proxy, which stands for many. */
  clientOf(address: string): string | undefined;
};

/** Of a connection that counts. */
export type Slot = {
  readonly overLimit: boolean;
  /** The client's counter of held bytes. */
  readonly holder: number;
  giveBack(): void;
};

export class Load {
  readonly #within: Shares<string>;
  readonly #overLimit: Shares<string>;
  /** In KiB. */
  readonly #held: Shares<string>;

  constructor(
    readonly limits: LoadLimits,
    state?: Pick<ProcessState, 'connections' | 'overLimit' | 'held'>,
  ) {
    const { maxConnections, overLimitConnections, maxHeld, clientOf } = limits;
    this.#within = new Shares(maxConnections, clientOf, state?.connections);
    this.#overLimit = new Shares(overLimitConnections, clientOf, state?.overLimit);
    this.#held = new Shares(kibibytes(maxHeld), clientOf, state?.held);
  }

  /** Connections open. */
  get connections(): number {
    return this.#within.used + this.#overLimit.used;
  }

  /** Bytes of bodies that are arriving or in use, and of unsent answers: whole KiB of each connection. */
  get held(): number {
    return this.#held.used * 1024;
  }

  /** Counts a connection. Undefined if there is no room for it, not even over the limit. */
  enter(address: string): Slot | undefined {
    return this.#take(this.#within, address, false) ?? this.#take(this.#overLimit, address, true);
  }

  /** Whether all clients together hold too much to accept a request, or this one alone. */
  isFull(holder: number): boolean {
    return this.#held.used >= this.#held.most || this.isFullFor(holder);
  }

  /** Whether this client holds its share, not counting `own` bytes: one body alone may be larger. */
  isFullFor(holder: number, own = 0): boolean {
    return !this.#held.isBelowShare(holder, kibibytes(own));
  }

  /** A connection has held some bytes, and holds others now. */
  hold(before: number, now: number, holder: number): void {
    this.#held.add(holder, kibibytes(now) - kibibytes(before));
  }

  #take(shares: Shares<string>, address: string, overLimit: boolean): Slot | undefined {
    const slot = shares.tryTake(address);
    if (slot === undefined) return undefined;
    return { overLimit, holder: this.#held.counterOf(address), giveBack: () => shares.giveBack(slot) };
  }
}
