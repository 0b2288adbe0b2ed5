/** Bounded, lossless reading of a JSON body, whatever its Content-Type says. */

import { Failure, type FailureCode, StartError } from '../../domain/errors.ts';
import type { Json } from '../../domain/json.ts';
import { type Soon, soon } from '../../domain/soon.ts';
import { startThread } from '../../threads/start.ts';
import { SupervisedThread } from '../../threads/supervised.ts';
import { joined } from '../../wire/body.ts';
import type { Incoming } from '../../wire/incoming.ts';
import type { Input } from '../../wire/input.ts';
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

export class Bodies {
  readonly #waiting = new Map<number, PromiseWithResolvers<Json>>();
  readonly #thread: SupervisedThread<Answer | null>;
  #asked = 0;
  /** Rejects with a StartError when the thread cannot start. */
  readonly ready: Promise<void>;

  constructor(readonly maxBytes: number) {
    this.#thread = new SupervisedThread<Answer | null>({
      name: 'the body-parsing thread',
      start: () => startThread('http/body/parse-thread'),
      setup: null,
      signal: null,
      onMessage: (answer) => answer !== null && this.#settle(answer),
      onEnd: (cause) => {
        for (const waiting of this.#waiting.values()) waiting.reject(threadAway(cause));
        this.#waiting.clear();
      },
    });
    this.ready = this.#thread.ready.catch((error: Error) => {
      throw new StartError(`Cannot serve, because ${error.message}: check the limits on threads and open files.`);
    });
    this.ready.catch(() => {});
  }

  /** At once where the whole body is here already, as a small one mostly is. `keys` are what it should have. */
  read(request: Incoming, keys: readonly string[]): Soon<Json> {
    requirePlain(request);
    const text = request.body.readText(this.maxBytes);
    if (text !== undefined) return parseText(text);
    const pieces = request.body.read(this.maxBytes);
    return soon(pieces, (all) => this.parse(all, keys));
  }

  /**
   * Nobody may use the bytes again. What is large is read on another thread, and of what lies deep in it, or is not asked
   * for, not all is told.
   */
  parse(pieces: readonly Input[], keys: readonly string[]): Soon<Json> {
    let size = 0;
    for (const { length } of pieces) size += length;
    if (size <= smallBytes) return parseBytes(joined(pieces));
    const number = this.#asked++;
    // What has memory of its own is handed over, and not copied.
    const own = pieces.map((piece) => (piece.length === piece.buffer.byteLength ? piece : new Uint8Array(piece)));
    const buffers = own.map(({ buffer }) => buffer);
    try {
      this.#thread.post({ number, pieces: own, keys } satisfies Question, buffers);
    } catch (cause) {
      throw threadAway(cause);
    }
    const answer = Promise.withResolvers<Json>();
    this.#waiting.set(number, answer);
    return answer.promise;
  }

  /** Throws unless the thread is ready. */
  check(): void {
    this.#thread.check();
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.number);
    this.#waiting.delete(answer.number);
    if ('found' in answer) waiting?.resolve(jsonOf(answer.found));
    else waiting?.reject(malformed(answer.wrong));
  }
}

function threadAway(cause: unknown): Failure {
  return new Failure('overloaded', { cause });
}

export function requirePlain(request: Incoming): void {
  const encoding = request.header('content-encoding');
  if (encoding === null || encoding.toLowerCase() === 'identity') return;
  throw new Failure('unsupported_encoding', { headers: { 'Accept-Encoding': 'identity' } });
}
