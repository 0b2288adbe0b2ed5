/** The last change that clients of this instance have heard of: a primary that lacks it has lost a part of the history. */
import type { Acknowledged, Shown } from './batch.ts';

export class Noticed {
  #shown: Shown | undefined;

  /** `onEpoch` is told when the database began a new epoch, with the change that it lacked and the one behind which it goes on. */
  constructor(readonly onEpoch: (lacked: number, next: number) => void) {}

  get shown(): Shown | undefined {
    return this.#shown;
  }

  /** A client is told of this change, or of a state that includes it. */
  show(change: Shown): void {
    if (this.#shown === undefined || change[0] > this.#shown[0]) this.#shown = change;
  }

  /** A batch was committed. */
  acknowledged({ last, epoch }: Acknowledged): void {
    if (epoch !== null) this.onEpoch(this.#shown?.[0] ?? 0, epoch);
    if (last !== null) this.show(last);
  }
}
