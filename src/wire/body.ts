/** The body of a request, which may still be arriving. */

import { Failure } from '../domain/errors.ts';
import type { Soon } from '../domain/soon.ts';
import { Chunks } from './chunks.ts';
import type { Framing } from './head.ts';
import { type Input, noInput } from './input.ts';
import { Pieces } from './pieces.ts';

/** Bytes of a body that no handler reads are dropped up to this limit; beyond it the connection ends. */
const maxDiscarded = 64 * 1024;

function nobodyWaits(): void {}

/** Waits for the whole body, or for the next piece of it. */
type Reader = {
  readonly whole: boolean;
  readonly max: number;
  resolve(pieces: Input[]): void;
  reject(failure: Failure): void;
};

export class Body {
  /** Nothing of it is still to come, or what comes is of no use. */
  done: boolean;
  #left: number;
  readonly #chunks: Chunks | undefined;
  /** What has arrived and was not read yet. */
  readonly #pieces = new Pieces();
  #text: string | undefined;
  #reader: Reader | undefined;
  #failure: Failure | undefined;
  #discarding = false;
  #discarded = 0;
  /** Bytes that were handed out piece by piece, and as a whole. */
  #taken = 0;
  #read = 0;
  /** Asked when the last of it has come; what it answers is why the body is refused all the same. */
  onArrived: (() => Failure | undefined) | undefined;
  /** When the last of it came, where that was after the head; on the clock of `performance`. */
  completedAt = 0;

  /** `wanted` is called when somebody waits for what has not arrived. */
  constructor(
    framing: Framing,
    readonly wanted: () => void,
  ) {
    this.#chunks = framing === 'chunked' ? new Chunks() : undefined;
    this.#left = framing === 'chunked' ? 0 : framing;
    this.done = framing === 0;
  }

  /** One that is all here, in ASCII. */
  static whole(text: string): Body {
    const body = new Body(0, nobodyWaits);
    body.#text = text;
    return body;
  }

  /** Why no more of it comes; undefined where it is whole or on its way. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** Bytes that have come so far. */
  get arrived(): number {
    return this.#taken + this.held;
  }

  /** Bytes that are in use for as long as it is: those that wait, and those that were read as a whole. */
  get held(): number {
    return this.#pieces.size + this.#read;
  }

  /** Bytes that wait for somebody to read them. */
  get waiting(): number {
    return this.#reader === undefined ? this.#pieces.size : 0;
  }

  /** Answers what lies behind the body: the next request. */
  push(input: Input): Input {
    if (this.done) return input;
    let taken: number;
    if (this.#chunks === undefined) {
      taken = Math.min(this.#left, input.length);
      this.#left -= taken;
      this.#keep(taken === input.length ? input : input.subarray(0, taken));
      if (this.#left === 0) this.#complete();
    } else {
      try {
        taken = this.#chunks.push(input, (content) => this.#keep(content));
        if (this.#chunks.done) this.#complete();
      } catch (error) {
        this.fail(error as Failure);
        return noInput;
      }
    }
    if (this.#reader?.whole === false && this.#pieces.size > 0) this.#tell();
    return taken === input.length ? noInput : input.subarray(taken);
  }

  /** The whole body, where it came with the head and is ASCII, as a small one mostly does. */
  readText(max: number): string | undefined {
    const text = this.#text;
    if (text !== undefined && text.length > max) throw tooLarge(max);
    this.#text = undefined;
    return text;
  }

  /** The whole body, in its pieces, at once where it is here; fails with `body_too_large` as soon as it is known to be. */
  read(max: number): Soon<Input[]> {
    this.#unpack();
    if (this.#failure !== undefined) throw this.#failure;
    if (this.arrived + this.#left > max) throw tooLarge(max);
    return this.done ? this.#handOut(true) : this.#wait(true, max);
  }

  /** What has arrived since the last call, at least something; empty at the end. Until then the client has to wait. */
  take(max: number): Soon<Input> {
    this.#unpack();
    if (this.#failure !== undefined) throw this.#failure;
    if (this.arrived + this.#left > max) throw tooLarge(max);
    return this.#pieces.size > 0 || this.done ? joined(this.#handOut(false)) : this.#wait(false, max).then(joined);
  }

  /** No more of it will come, or none that makes sense. */
  fail(failure: Failure): void {
    if (this.done) return;
    this.#failure = failure;
    this.done = true;
    this.#pieces.clear();
    this.#reader?.reject(failure);
    this.#reader = undefined;
  }

  /** The request is answered without the rest of it. False when the connection cannot go on behind it. */
  abandon(): boolean {
    if (!this.done) {
      this.#discarding = true;
      this.#pieces.clear();
    }
    return this.#failure === undefined && this.#left <= maxDiscarded;
  }

  #unpack(): void {
    if (this.#text !== undefined) this.#pieces.add(Buffer.from(this.#text, 'latin1'), true);
    this.#text = undefined;
  }

  #keep(content: Input): void {
    if (this.#failure !== undefined) return;
    if (this.#discarding) {
      this.#discarded += content.length;
      if (this.#discarded > maxDiscarded) this.fail(tooLarge(maxDiscarded));
      return;
    }
    // A packet may hold little of a chunk, and much that is not content.
    this.#pieces.add(content, this.#chunks === undefined);
    if (this.#reader !== undefined && this.arrived > this.#reader.max) this.fail(tooLarge(this.#reader.max));
  }

  #complete(): void {
    if (this.done) return;
    const refusal = this.onArrived?.();
    if (refusal !== undefined) {
      this.fail(refusal);
      return;
    }
    this.done = true;
    if (this.#reader !== undefined) this.completedAt = performance.now();
    this.#tell();
  }

  #wait(whole: boolean, max: number): Promise<Input[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Input[]>();
    this.#reader = { whole, max, resolve, reject };
    this.wanted();
    return promise;
  }

  /** There is what the reader waits for. */
  #tell(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    this.#reader = undefined;
    reader.resolve(this.#handOut(reader.whole));
  }

  #handOut(whole: boolean): Input[] {
    if (whole) this.#read = this.#pieces.size;
    else this.#taken += this.#pieces.size;
    return this.#pieces.take();
  }
}

/** Of a request that has none: it has no state that could change. */
export const noBody = new Body(0, nobodyWaits);

export function joined(pieces: readonly Input[]): Input {
  const [first = noInput] = pieces;
  return pieces.length < 2 ? first : Buffer.concat(pieces);
}

function tooLarge(max: number): Failure {
  return new Failure('body_too_large', { detail: `The body is over the limit of ${max} bytes.` });
}
