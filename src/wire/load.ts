/** Totals over all connections of the process, of all threads that serve. */

import type { ProcessState } from '../threads/process-state.ts';
import { SplitTotal } from '../threads/split-total.ts';
import { Total } from '../threads/total.ts';

export class Load {
  readonly #connections: Total;
  readonly #held: SplitTotal;

  constructor(state?: Pick<ProcessState, 'connections' | 'held'>) {
    this.#connections = new Total(state?.connections);
    this.#held = new SplitTotal(state?.held);
  }

  /** Connections open. */
  get connections(): number {
    return this.#connections.value;
  }

  /** Bytes of bodies that are arriving or in use, and of unsent answers. */
  get held(): number {
    return this.#held.value;
  }

  /** Counts a connection, and returns how many are open with it. */
  opened(): number {
    return this.#connections.add(1);
  }

  closed(): void {
    this.#connections.add(-1);
  }

  /** Negative for bytes that are no longer held. */
  hold(bytes: number): void {
    this.#held.add(bytes);
  }
}
