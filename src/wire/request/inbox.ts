/** Input of a connection that is not parsed yet. The counterpart of the outbox. */
import type { Socket } from 'bun';
import { Body, noBody } from './body.ts';
import { endOfHead, type Framing, HeadReader, maxHeadBytes } from './head.ts';
import { Incoming, type Peer } from './incoming.ts';
import { type Input, noInput } from './input.ts';

const nonAscii = /[\x80-\xff]/;

export class Inbox {
  readonly #heads = new HeadReader();
  #input = noInput;
  #paused = false;

  constructor(
    readonly socket: Pick<Socket<unknown>, 'pause' | 'resume'>,
    readonly peer: Peer,
    /** Called when a handler awaits a body that has not arrived. */
    readonly bodyWanted: () => void,
  ) {}

  /** Bytes. */
  get size(): number {
    return this.#input.length;
  }

  add(chunk: Input): void {
    this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk]);
  }

  clear(): void {
    this.#input = noInput;
  }

  /** Clients may send empty lines before a request (RFC 9112, section 2.2). */
  dropEmptyLines(): void {
    while (this.#input[0] === 0x0d && this.#input[1] === 0x0a) this.#input = this.#input.subarray(2);
  }

  /** The next request, its body as far as it has arrived; undefined until the head is complete. Throws a Failure. */
  take(): Incoming | undefined {
    const text = this.#input.toString('latin1', 0, maxHeadBytes + 4);
    const end = endOfHead(text);
    if (end < 0) return undefined;
    const head = this.#heads.read(end === text.length ? text : text.slice(0, end));
    return new Incoming(head, this.#takeBody(head.fields.framing, text, end), this.peer);
  }

  /** `text` is the start of the input, as latin1. */
  #takeBody(framing: Framing, text: string, headBytes: number): Body {
    if (framing === 0) {
      this.#drop(headBytes);
      return noBody;
    }
    const end = framing === 'chunked' ? Number.POSITIVE_INFINITY : headBytes + framing;
    const ascii = asciiIn(text, headBytes, end);
    if (ascii !== undefined) {
      this.#drop(end);
      return Body.whole(ascii);
    }
    const body = new Body(framing, this.bodyWanted);
    this.#drop(headBytes);
    this.#input = body.push(this.#input);
    if (body.failure !== undefined) throw body.failure;
    return body;
  }

  #drop(bytes: number): void {
    this.#input = bytes === this.#input.length ? noInput : this.#input.subarray(bytes);
  }

  pause(): void {
    if (!this.#paused) this.socket.pause();
    this.#paused = true;
  }

  /** Returns whether it was paused. */
  resume(): boolean {
    if (!this.#paused) return false;
    this.#paused = false;
    this.socket.resume();
    return true;
  }
}

/** This part of the text, if it has arrived in full and is ASCII. */
function asciiIn(text: string, from: number, to: number): string | undefined {
  if (to > text.length) return undefined;
  const part = text.slice(from, to);
  return nonAscii.test(part) ? undefined : part;
}
