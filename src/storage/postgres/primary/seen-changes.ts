/** Changes that clients of this instance have seen. A primary that lacks one of them has lost a part of the history. */
import type { Acknowledged, Shown } from '../batch/batch.ts';

export class SeenChanges {
  /** The last change at the check before the previous one: a failover mostly loses younger changes. */
  #settled: Shown | undefined;
  #checked: Shown | undefined;
  #latest: Shown | undefined;

  /** `onEpoch` is called when a new epoch has begun: the database lacked change `lacked`, and numbers continue after `next`. */
  constructor(readonly onEpoch: (lacked: number, next: number) => void) {}

  /** The changes that a primary must have, oldest first. */
  get shown(): readonly Shown[] {
    const all = [this.#settled, this.#latest].filter((change) => change !== undefined);
    return all.length === 2 && all[0]?.[0] === all[1]?.[0] ? all.slice(1) : all;
  }

  /** Call when a client sees this change, or a state that includes it. */
  show(change: Shown): void {
    if (this.#latest === undefined || change[0] > this.#latest[0]) this.#latest = change;
  }

  /** Call when a check has found all of `shown`; `newest` is the last change in the database. */
  confirm(newest: Shown): void {
    this.#settled = this.#checked;
    this.#checked = newest;
    this.show(newest);
  }

  /** Call when a batch is committed. */
  acknowledged({ last, epoch }: Acknowledged): void {
    if (epoch !== null) {
      this.onEpoch(this.#latest?.[0] ?? 0, epoch);
      this.#settled = undefined;
      this.#checked = undefined;
      this.#latest = undefined;
    }
    if (last !== null) this.show(last);
  }
}

/** For the operator's log. */
export function lossNotice(lacked: number, next: number): string {
  return (
    `The database lacks change ${lacked}, which clients of this instance have seen: a failover or a restore lost it. ` +
    `A new epoch begins: ids, change numbers and versions continue after ${next}.`
  );
}
