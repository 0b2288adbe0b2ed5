/** The body of a request, which may still be arriving. */

import { Failure } from '../../domain/errors.ts';
import type { Soon } from '../../domain/soon.ts';
import { Chunks } from './chunks.ts';
import type { Framing } from './head.ts';
import { type Input, noInput } from './input.ts';
import { Pieces } from './pieces.ts';

/** Bytes of an unread body that are dropped; beyond this limit the connection ends. */
const maxDiscarded = 64 * 1024;

function noop(): void {}

/** A pending call of `read` (the whole body) or of `take` (the next bytes). */
type Reader = {
  readonly whole: boolean;
  readonly max: number;
  resolve(pieces: Input[]): void;
  reject(failure: Failure): void;
};

export class Body {
  /** The body has arrived in full, or has failed. */
  done: boolean;
  #remaining: number;
  readonly #chunks: Chunks | undefined;
  /** Bytes that have arrived and are unread. */
  readonly #pieces = new Pieces();
  #text: string | undefined;
  #reader: Reader | undefined;
  #failure: Failure | undefined;
  #discarding = false;
  #discarded = 0;
  /** Bytes handed out by `take`. */
  #taken = 0;
  /** Bytes handed out by `read`. */
  #read = 0;
  /** Called when the last byte has arrived. A Failure that it returns fails the body. */
  onArrived: (() => Failure | undefined) | undefined;
  /** When the last byte arrived, by `performance.now()`; 0 if no reader was waiting for it. */
  completedAt = 0;

  /** `wanted` is called when a reader waits for bytes that have not arrived. */
  constructor(
    framing: Framing,
    readonly wanted: () => void,
  ) {
    this.#chunks = framing === 'chunked' ? new Chunks() : undefined;
    this.#remaining = framing === 'chunked' ? 0 : framing;
    this.done = framing === 0;
  }

  /** A body that has arrived in full and is ASCII. */
  static whole(text: string): Body {
    const body = new Body(0, noop);
    body.#text = text;
    return body;
  }

  /** Why the body failed; undefined if it is complete or still arriving. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** Bytes that have arrived so far. */
  get arrived(): number {
    return this.#taken + this.held;
  }

  /** Bytes in memory for as long as the body is in use: unread ones, and all bytes handed out by `read`. */
  get held(): number {
    return this.#pieces.size + this.#read;
  }

  /** Unread bytes, unless a reader is waiting. */
  get waiting(): number {
    return this.#reader === undefined ? this.#pieces.size : 0;
  }

  /** Returns the bytes after the body: the next request. */
  push(input: Input): Input {
    if (this.done) return input;
    let taken: number;
    if (this.#chunks === undefined) {
      taken = Math.min(this.#remaining, input.length);
      this.#remaining -= taken;
      this.#store(taken === input.length ? input : input.subarray(0, taken));
      if (this.#remaining === 0) this.#complete();
    } else {
      try {
        taken = this.#chunks.push(input, (content) => this.#store(content));
        if (this.#chunks.done) this.#complete();
      } catch (error) {
        this.fail(error as Failure);
        return noInput;
      }
    }
    if (this.#reader?.whole === false && this.#pieces.size > 0) this.#resolveReader();
    return taken === input.length ? noInput : input.subarray(taken);
  }

  /** The whole body, once, if it arrived with the head and is ASCII, as most small ones do. Throws `body_too_large`. */
  readText(max: number): string | undefined {
    const text = this.#text;
    if (text !== undefined && text.length > max) throw tooLarge(max);
    this.#text = undefined;
    return text;
  }

  /**
   * The whole body in pieces, without a promise if it has arrived. Fails with `body_too_large` as soon as the size is
   * known to be over `max`.
   */
  read(max: number): Soon<Input[]> {
    this.#unpack();
    if (this.#failure !== undefined) throw this.#failure;
    if (this.arrived + this.#remaining > max) throw tooLarge(max);
    return this.done ? this.#handOut(true) : this.#wait(true, max);
  }

  /**
   * At least one byte: all that arrived since the last call. Empty at the end of the body. Unread bytes put
   * backpressure on the client.
   */
  take(max: number): Soon<Input> {
    this.#unpack();
    if (this.#failure !== undefined) throw this.#failure;
    if (this.arrived + this.#remaining > max) throw tooLarge(max);
    return this.#pieces.size > 0 || this.done ? joined(this.#handOut(false)) : this.#wait(false, max).then(joined);
  }

  /** Ends the body: the rest will not arrive, or is not valid. */
  fail(failure: Failure): void {
    if (this.done) return;
    this.#failure = failure;
    this.done = true;
    this.#pieces.clear();
    this.#reader?.reject(failure);
    this.#reader = undefined;
  }

  /** The request is answered without the rest of the body, which is dropped. False if the connection must end. */
  abandon(): boolean {
    if (!this.done) {
      this.#discarding = true;
      this.#pieces.clear();
    }
    return this.#failure === undefined && this.#remaining <= maxDiscarded;
  }

  #unpack(): void {
    if (this.#text !== undefined) this.#pieces.add(Buffer.from(this.#text, 'latin1'), true);
    this.#text = undefined;
  }

  #store(content: Input): void {
    if (this.#failure !== undefined) return;
    if (this.#discarding) {
      this.#discarded += content.length;
      if (this.#discarded > maxDiscarded) this.fail(tooLarge(maxDiscarded));
      return;
    }
    // The content of a chunk may be a small part of its packet, and a slice keeps the whole packet in memory.
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
    this.#resolveReader();
  }

  #wait(whole: boolean, max: number): Promise<Input[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Input[]>();
    this.#reader = { whole, max, resolve, reject };
    this.wanted();
    return promise;
  }

  #resolveReader(): void {
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

/** Shared by all requests without a body: it has no state that could change. */
export const noBody = new Body(0, noop);

export function joined(pieces: readonly Input[]): Input {
  const [first = noInput] = pieces;
  return pieces.length < 2 ? first : Buffer.concat(pieces);
}

function tooLarge(max: number): Failure {
  return new Failure('body_too_large', { detail: `The body is over the limit of ${max} bytes.` });
}
