/** Bounded, lossless reading of a JSON body, whatever its Content-Type says. */
import { Failure, type FailureCode } from '../domain/errors.ts';
import type { Json } from '../domain/json.ts';
import { startThread } from '../threads/start.ts';
import { type Incoming, joined } from '../wire/incoming.ts';
import { malformed, parseBytes, parseText } from './parse.ts';
import type { Answer, Question } from './parse-thread.ts';
import { jsonOf } from './shallow.ts';

/** How reading a body can fail. */
export const bodyFailures = [
  'malformed_json',
  'invalid_body',
  'malformed_request',
  'request_timeout',
  'body_too_large',
  'unsupported_encoding',
] as const satisfies readonly FailureCode[];

/** A body of no more is read where it is; that takes a millisecond at most, whatever is in it. */
const smallBytes = 32 * 1024;

type Bytes = Buffer<ArrayBuffer>;

export class Bodies {
  readonly #waiting = new Map<number, PromiseWithResolvers<Json>>();
  #thread: Worker | undefined;
  #asked = 0;

  constructor(readonly maxBytes: number) {}

  /** At once where the whole body is here already, as a small one mostly is. `keys` are what it should have. */
  read(request: Incoming, keys: readonly string[]): Json | Promise<Json> {
    requirePlain(request);
    const text = request.body.readText(this.maxBytes);
    if (text !== undefined) return parseText(text);
    const pieces = request.body.read(this.maxBytes);
    return pieces instanceof Promise ? pieces.then((later) => this.parse(later, keys)) : this.parse(pieces, keys);
  }

  /**
   * Nobody may use the bytes again. What is large is read on another thread, and of what lies deep in it, or is not asked
   * for, not all is told.
   */
  parse(pieces: readonly Bytes[], keys: readonly string[]): Json | Promise<Json> {
    let size = 0;
    for (const { length } of pieces) size += length;
    if (size <= smallBytes) return parseBytes(joined(pieces));
    this.#thread ??= this.#start();
    const number = this.#asked++;
    const answer = Promise.withResolvers<Json>();
    this.#waiting.set(number, answer);
    // What has memory of its own is handed over, and not copied.
    const own = pieces.map((piece) => (piece.length === piece.buffer.byteLength ? piece : new Uint8Array(piece)));
    const buffers = own.map(({ buffer }) => buffer);
    this.#thread.postMessage({ number, pieces: own, keys } satisfies Question, buffers);
    return answer.promise;
  }

  close(): void {
    this.#thread?.terminate();
  }

  #start(): Worker {
    const thread = startThread('http/parse-thread');
    thread.onmessage = ({ data }: MessageEvent<Answer>) => {
      const answer = this.#waiting.get(data.number);
      this.#waiting.delete(data.number);
      if ('found' in data) answer?.resolve(jsonOf(data.found));
      else answer?.reject(malformed(data.wrong));
    };
    // Whoever comes next starts another.
    thread.onerror = ({ message }) => {
      this.#thread = undefined;
      for (const [, answer] of this.#waiting) answer.reject(new Error(`the parsing thread ended: ${message}`));
      this.#waiting.clear();
    };
    return thread;
  }
}

export function requirePlain(request: Incoming): void {
  const encoding = request.header('content-encoding');
  if (encoding === null || encoding.toLowerCase() === 'identity') return;
  throw new Failure('unsupported_encoding', undefined, { headers: { 'Accept-Encoding': 'identity' } });
}
