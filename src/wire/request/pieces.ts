/** Buffers the pieces of a body: small ones are merged, large ones are not copied. */

import { type Input, noInput } from './input.ts';

/** Bytes. A smaller piece is copied behind the previous one: on its own it would take more memory than it holds. */
const smallPiece = 16 * 1024;
const tailBytes = { least: 1024, most: 64 * 1024 };

export class Pieces {
  #size = 0;
  /** The first piece as received, while it is the only one. */
  #only: Input | undefined;
  #pieces: Input[] | undefined;
  /** Small pieces are copied in here, one behind the other. */
  #tail = noInput;
  #used = 0;

  get size(): number {
    return this.#size;
  }

  /** `alone`: the piece is most of its packet, which stays in memory as long as a slice of it does. */
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

  /** Returns all pieces and removes them. */
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
    this.#tail = noInput;
    this.#used = 0;
  }

  #append(piece: Input): void {
    if (piece.length >= smallPiece && piece.length * 2 >= piece.buffer.byteLength) {
      this.#endTail();
      this.#push(piece);
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

  #push(piece: Input): void {
    this.#pieces ??= [];
    this.#pieces.push(piece);
  }

  /** Adds the used part of the tail to the pieces, to keep the order. The rest is used for later small pieces. */
  #endTail(): void {
    if (this.#used === 0) return;
    this.#push(this.#tail.subarray(0, this.#used));
    this.#tail = this.#tail.subarray(this.#used);
    this.#used = 0;
  }
}
