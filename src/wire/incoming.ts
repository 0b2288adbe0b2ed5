/** A request on its way in: what its head says, and its body, which may still be arriving. */
import { Failure } from '../domain/errors.ts';
import { Chunks } from './chunks.ts';
import { all, type Framing, type Head } from './head.ts';

type Bytes = Buffer<ArrayBuffer>;

const nothing: Bytes = Buffer.alloc(0);

/** What arrives of a body that nobody reads is thrown away up to here; beyond it the connection ends. */
const maxDiscarded = 64 * 1024;

/** Who is at the other end. */
export type Peer = {
  readonly address: string;
  /** There are more connections than there should be, and this is one of those. */
  readonly extra: boolean;
};

export class Incoming {
  readonly method: string;
  readonly target: string;
  /** For whoever answers it: what they know of it by now. */
  note: unknown;
  readonly #head: Head;

  constructor(
    head: Head,
    readonly body: Body,
    readonly peer: Peer,
  ) {
    this.method = head.method;
    this.target = head.target;
    this.#head = head;
  }

  /** What an answer to it depends on. */
  get asked(): Head {
    return this.#head;
  }

  /** By its name in lower case; null where it was not sent. */
  header(name: string): string | null {
    const { names, values } = this.#head.fields;
    const index = names.indexOf(name);
    if (index < 0) return null;
    return names.indexOf(name, index + 1) < 0 ? (values[index] ?? null) : all(names, values, name);
  }
}

/** Waits for the whole body, or for the next piece of it. */
type Reader = {
  readonly whole: boolean;
  readonly max: number;
  resolve(bytes: Bytes): void;
  reject(failure: Failure): void;
};

export class Body {
  /** Nothing of it is still to come, or what comes is of no use. */
  done: boolean;
  #left: number;
  readonly #chunks: Chunks | undefined;
  /** What has arrived: as it came while that is one piece, and copied together from the second on. */
  #content = nothing;
  #copied = false;
  #size = 0;
  #reader: Reader | undefined;
  #failure: Failure | undefined;
  #discarding = false;
  /** Bytes that were handed out piece by piece. */
  #taken = 0;
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

  /** Bytes that have come so far. */
  get arrived(): number {
    return this.#taken + this.#size;
  }

  /** Bytes that are kept until there are more. */
  get held(): number {
    return this.#size;
  }

  /** Bytes that wait for somebody to read them. */
  get waiting(): number {
    return this.#reader === undefined ? this.#size : 0;
  }

  /** Answers what lies behind the body: the next request. */
  push(input: Bytes): Bytes {
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
        return nothing;
      }
    }
    if (this.#reader?.whole === false && this.#size > 0) this.#tell();
    return taken === input.length ? nothing : input.subarray(taken);
  }

  /** The whole body, at once where it is here; fails with `body_too_large` as soon as it is known to be. */
  read(max: number): Bytes | Promise<Bytes> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#size + this.#left > max) throw tooLarge(max);
    return this.done ? this.#joined() : this.#wait(true, max);
  }

  /** What has arrived since the last call, at least something; empty at the end. Until then the client has to wait. */
  take(max: number): Bytes | Promise<Bytes> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#taken + this.#size + this.#left > max) throw tooLarge(max);
    return this.#size > 0 || this.done ? this.#handOut() : this.#wait(false, max);
  }

  /** No more of it will come, or none that makes sense. */
  fail(failure: Failure): void {
    if (this.done) return;
    this.#failure = failure;
    this.done = true;
    this.#reader?.reject(failure);
    this.#reader = undefined;
  }

  /** The request is answered without the rest of it. False when the connection cannot go on behind it. */
  abandon(): boolean {
    if (!this.done) {
      this.#discarding = true;
      this.#content = nothing;
      this.#size = 0;
    }
    return this.#failure === undefined && this.#left <= maxDiscarded;
  }

  #keep(content: Bytes): void {
    this.#size += content.length;
    if (this.#discarding) {
      if (this.#size > maxDiscarded) this.fail(tooLarge(maxDiscarded));
    } else if (this.#reader !== undefined && this.#taken + this.#size > this.#reader.max) {
      this.fail(tooLarge(this.#reader.max));
    } else if (this.#size === content.length && this.#chunks === undefined) {
      this.#content = content;
    } else {
      this.#copy(content);
    }
  }

  /** A piece of its own would keep alive the whole packet that it came in. */
  #copy(content: Bytes): void {
    if (!this.#copied || this.#size > this.#content.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.#size * 2, 1024));
      this.#content.copy(grown);
      this.#content = grown;
      this.#copied = true;
    }
    content.copy(this.#content, this.#size - content.length);
  }

  #complete(): void {
    if (this.done) return;
    this.done = true;
    if (this.#reader !== undefined) this.completedAt = performance.now();
    this.#tell();
  }

  #wait(whole: boolean, max: number): Promise<Bytes> {
    const { promise, resolve, reject } = Promise.withResolvers<Bytes>();
    this.#reader = { whole, max, resolve, reject };
    this.wanted();
    return promise;
  }

  /** There is what the reader waits for. */
  #tell(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    this.#reader = undefined;
    reader.resolve(reader.whole ? this.#joined() : this.#handOut());
  }

  #handOut(): Bytes {
    const piece = this.#joined();
    this.#taken += piece.length;
    this.#content = nothing;
    this.#copied = false;
    this.#size = 0;
    return piece;
  }

  #joined(): Bytes {
    return this.#content.length === this.#size ? this.#content : this.#content.subarray(0, this.#size);
  }
}

/** Of a request that has none: there is nothing in it that could change. */
export const noBody = new Body(0, () => {});

function tooLarge(max: number): Failure {
  return new Failure('body_too_large', `The body is over the limit of ${max} bytes.`);
}
