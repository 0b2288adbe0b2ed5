/** One client of the live feed: a position in the order of changes. The connection pulls the next batch when it has room. */

import type { Bytes } from '../../domain/bytes.ts';
import type { Selection } from '../../domain/feed/selection.ts';
import type { Soon } from '../../domain/soon.ts';
import type { Live } from '../../wire/answer/reply.ts';
import { type Batch, encode, positionText } from './sse.ts';

export type Source = {
  /** The next batch, synchronously if its events are in memory; undefined if there is none yet. */
  after(position: number, selection: Selection): Soon<Batch> | undefined;
  leave(listener: Listener): void;
};

export class Listener implements Live {
  readonly live = true;
  #position: number;
  #first: string | undefined;
  /** True until the client has the position after its first batch. */
  #isNew = true;
  #waiting: ((isHeartbeat: boolean) => void) | undefined;
  #ended = false;

  constructor(
    readonly source: Source,
    readonly selection: Selection,
    readonly stillMay: () => Promise<boolean>,
    position: number,
    first: string,
  ) {
    this.#position = position;
    this.#first = first;
  }

  wake(isHeartbeat: boolean): void {
    this.#waiting?.(isHeartbeat);
    this.#waiting = undefined;
  }

  /** Ends the feed of a client whose key was revoked. */
  async check(): Promise<void> {
    if (!(await this.stillMay())) this.return();
  }

  async next(): Promise<IteratorResult<Bytes>> {
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined && !this.#ended) return { done: false, value: encode(first) };
    while (!this.#ended) {
      const batch = this.source.after(this.#position, this.selection);
      if (batch === undefined) {
        const isHeartbeat = await new Promise<boolean>((resolve) => (this.#waiting = resolve));
        if (isHeartbeat && !this.#ended) return { done: false, value: encode(positionText(this.#position)) };
        continue;
      }
      const { bytes, to } = await batch;
      this.#position = to;
      const isNew = this.#isNew;
      this.#isNew = false;
      if (this.#ended) break;
      if (bytes.length > 0) return { done: false, value: bytes };
      // Sent now and not with the next heartbeat, because the client may disconnect before.
      if (isNew) return { done: false, value: encode(positionText(to)) };
    }
    return { done: true, value: undefined };
  }

  return(): void {
    this.#ended = true;
    this.source.leave(this);
    this.wake(false);
  }
}
