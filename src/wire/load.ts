/** The connections of the process and the bytes that they hold, over all threads that serve. Each client gets at most its share. */
import { ClientTotals } from '../threads/client-totals.ts';
import type { ProcessState } from '../threads/process-state.ts';
import { Shares } from '../threads/shares.ts';
import { SplitTotal } from '../threads/split-total.ts';

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
  /** The client's counter of held bytes; undefined if it has no share. */
  readonly holder: number | undefined;
  giveBack(): void;
};

export class Load {
  readonly #within: Shares<string>;
  readonly #overLimit: Shares<string>;
  readonly #held: SplitTotal;
  readonly #heldBy: ClientTotals;
  readonly #maxHeldBy: number;

  constructor(
    readonly limits: LoadLimits,
    state?: Pick<ProcessState, 'connections' | 'overLimit' | 'held' | 'heldBy'>,
  ) {
    const { maxConnections, overLimitConnections, maxHeld, clientOf } = limits;
    this.#within = new Shares(maxConnections, clientOf, state?.connections);
    this.#overLimit = new Shares(overLimitConnections, clientOf, state?.overLimit);
    this.#held = new SplitTotal(state?.held);
    this.#heldBy = new ClientTotals(state?.heldBy);
    // As for all shares: a quarter is out of reach for each single client.
    this.#maxHeldBy = (maxHeld / 4) * 3;
  }

  /** Connections open. */
  get connections(): number {
    return this.#within.used + this.#overLimit.used;
  }

  /** Bytes of bodies that are arriving or in use, and of unsent answers. */
  get held(): number {
    return this.#held.value;
  }

  /** Counts a connection. Undefined if there is no room for it, not even over the limit. */
  enter(address: string): Slot | undefined {
    return this.#take(this.#within, address, false) ?? this.#take(this.#overLimit, address, true);
  }

  /** Whether all clients together hold too much to accept a request, or this one alone. */
  isFull(holder: number | undefined): boolean {
    return this.held >= this.limits.maxHeld || this.isFullFor(holder);
  }

  /** Whether this client holds its share, not counting `own` bytes: one body alone may be larger. */
  isFullFor(holder: number | undefined, own = 0): boolean {
    return holder !== undefined && this.#heldBy.valueOf(holder) - own >= this.#maxHeldBy;
  }

  /** Negative for bytes that are no longer held. */
  hold(bytes: number, holder: number | undefined): void {
    this.#held.add(bytes);
    if (holder !== undefined) this.#heldBy.add(holder, bytes);
  }

  #take(shares: Shares<string>, address: string, overLimit: boolean): Slot | undefined {
    const slot = shares.tryTake(address);
    if (slot === undefined) return undefined;
    const client = this.limits.clientOf(address);
    return {
      overLimit,
      holder: client === undefined ? undefined : this.#heldBy.counterOf(client),
      giveBack: () => shares.giveBack(slot),
    };
  }
}
