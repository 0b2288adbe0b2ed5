/** Changes that clients of this instance have heard of: a primary that lacks one has lost a part of the history. */
import type { Acknowledged, Shown } from './batch.ts';

export class Noticed {
  /** Found to be there by the last look but one: what a failover loses is mostly younger. */
  #settled: Shown | undefined;
  #looked: Shown | undefined;
  #latest: Shown | undefined;

  /** `onEpoch` is told when the database began a new epoch, with the change that it lacked and the one behind which it goes on. */
  constructor(readonly onEpoch: (lacked: number, next: number) => void) {}

  /** What a primary must have, the oldest first. */
  get shown(): readonly Shown[] {
    const all = [this.#settled, this.#latest].filter((change) => change !== undefined);
    return all.length === 2 && all[0]?.[0] === all[1]?.[0] ? all.slice(1) : all;
  }

  /** A client is told of this change, or of a state that includes it. */
  show(change: Shown): void {
    if (this.#latest === undefined || change[0] > this.#latest[0]) this.#latest = change;
  }

  /** The database had all of `shown`, and this for its last change. */
  confirm(newest: Shown): void {
    this.#settled = this.#looked;
    this.#looked = newest;
    this.show(newest);
  }

  /** A batch was committed. */
  acknowledged({ last, epoch }: Acknowledged): void {
    if (epoch !== null) {
      this.onEpoch(this.#latest?.[0] ?? 0, epoch);
      this.#settled = undefined;
      this.#looked = undefined;
      this.#latest = undefined;
    }
    if (last !== null) this.show(last);
  }
}

/** For the operator's log. */
export function lossNotice(lacked: number, next: number): string {
  return (
    `The database lacks change ${lacked}, which clients of this instance have seen: a failover or a restore has lost it. ` +
    `A new epoch begins: ids, change numbers and versions go on behind ${next}.`
  );
}
