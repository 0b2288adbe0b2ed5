/** Bytes that come in pieces: in no more of them than is sensible, and copied no more than that takes. */

import type { Input } from './input.ts';

const nothing: Input = Buffer.alloc(0);

/** A smaller piece is copied behind those before it: by itself it would take more than it holds. */
const small = 16 * 1024;
const tailBytes = { least: 1024, most: 64 * 1024 };

export class Pieces {
  #size = 0;
  /** As it came, while there is no other. */
  #only: Input | undefined;
  #pieces: Input[] | undefined;
  /** Small pieces, one behind the other. */
  #tail = nothing;
  #used = 0;

  get size(): number {
    return this.#size;
  }

  /** `alone` where it is most of what it came in: that stays in memory for as long as a part of it does. */
  add(piece: Input, alone: boolean): void {
    this.#size += piece.length;
    if (this.#size === piece.length && alone) {
      this.#only = piece;
      return;
    }
    if (this.#only !== undefined) this.#append(this.#only);
    this.#only = undefined;
    this.#append(piece);
  }

  /** All of it, and nothing is left here. */
  take(): Input[] {
    this.#endTail();
    const all = this.#only === undefined ? (this.#pieces ?? []) : [this.#only];
    this.clear();
    return all;
  }

  clear(): void {
    this.#size = 0;
    this.#only = undefined;
    this.#pieces = undefined;
    this.#tail = nothing;
    this.#used = 0;
  }

  #append(piece: Input): void {
    if (piece.length >= small && piece.length * 2 >= piece.buffer.byteLength) {
      this.#endTail();
      this.#keep(piece);
      return;
    }
    if (this.#used + piece.length > this.#tail.length) {
      const size = Math.min(Math.max(this.#tail.length * 2, tailBytes.least), tailBytes.most);
      this.#endTail();
      this.#tail = Buffer.allocUnsafeSlow(Math.max(size, piece.length));
    }
    piece.copy(this.#tail, this.#used);
    this.#used += piece.length;
  }

  #keep(piece: Input): void {
    this.#pieces ??= [];
    this.#pieces.push(piece);
  }

  /** What comes next stands behind what is in it; what is left of it is used for the small pieces behind that. */
  #endTail(): void {
    if (this.#used === 0) return;
    this.#keep(this.#tail.subarray(0, this.#used));
    this.#tail = this.#tail.subarray(this.#used);
    this.#used = 0;
  }
}
