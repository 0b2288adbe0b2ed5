/** Reads JSON bodies, bounded and without loss of digits. The Content-Type is ignored. */

import { Failure, type FailureCode, StartError } from '../../domain/errors.ts';
import type { Json } from '../../domain/json.ts';
import { malformed, parseBytes, parseText } from '../../domain/parse-body.ts';
import type { Members } from '../../domain/row.ts';
import { type Soon, soon } from '../../domain/soon.ts';
import { type LongWorkMemory, longWorkFor } from '../../threads/long-work.ts';
import { startThread } from '../../threads/start.ts';
import { SupervisedThread } from '../../threads/supervised.ts';
import { joined } from '../../wire/body.ts';
import type { Incoming } from '../../wire/incoming.ts';
import type { Input } from '../../wire/input.ts';
import type { ParseRequest, ParseResult } from './parse-thread.ts';
import { jsonOf } from './shallow.ts';

/** For the OpenAPI operations that read a body. */
export const bodyFailures = [
  'malformed_json',
  'invalid_body',
  'malformed_request',
  'request_timeout',
  'body_too_large',
  'unsupported_encoding',
] as const satisfies readonly FailureCode[];

/** A body up to this size is parsed on the calling thread; that takes at most a millisecond, whatever it contains. */
const smallBytes = 32 * 1024;

export class Bodies {
  readonly #pending = new Map<number, PromiseWithResolvers<Json>>();
  readonly #thread: SupervisedThread<ParseResult | null>;
  #nextNumber = 0;
  /** Rejects with a StartError when the thread cannot start. */
  readonly ready: Promise<void>;

  constructor(
    readonly maxBytes: number,
    longWork: SharedArrayBuffer,
    whenNeeded = false,
  ) {
    const work = longWorkFor(longWork);
    this.#thread = new SupervisedThread<ParseResult | null>({
      name: 'the body-parsing thread',
      start: () => startThread('http/body/parse-thread'),
      whenNeeded,
      setup: (): LongWorkMemory => work.memory,
      signal: null,
      onMessage: (answer) => answer !== null && this.#settle(answer),
      onEnd: (cause) => {
        work.end();
        for (const waiting of this.#pending.values()) waiting.reject(threadUnavailable(cause));
        this.#pending.clear();
      },
    });
    this.ready = this.#thread.ready.catch((error: Error) => {
      throw new StartError(`Cannot start: ${error.message}. Check the limits on threads and open files.`);
    });
    this.ready.catch(() => {});
  }

  /** Returns at once if the whole body has arrived, as a small one mostly has. */
  read(request: Incoming, members: Members): Soon<Json> {
    requirePlain(request);
    const text = request.body.readText(this.maxBytes);
    if (text !== undefined) return parseText(text);
    const pieces = request.body.read(this.maxBytes);
    return soon(pieces, (all) => this.parse(all, members));
  }

  /**
   * Takes ownership of the bytes. A large body is parsed on the thread and comes back shallow: its nested values are empty,
   * and members that are not expected may be missing.
   */
  parse(pieces: readonly Input[], members: Members): Soon<Json> {
    let size = 0;
    for (const { length } of pieces) size += length;
    if (size <= smallBytes) return parseBytes(joined(pieces));
    const number = this.#nextNumber++;
    // A piece that owns its buffer is transferred without a copy.
    const own = pieces.map((piece) => (piece.length === piece.buffer.byteLength ? piece : new Uint8Array(piece)));
    const buffers = own.map(({ buffer }) => buffer);
    try {
      this.#thread.post({ number, pieces: own, members } satisfies ParseRequest, buffers);
    } catch (cause) {
      throw threadUnavailable(cause);
    }
    const answer = Promise.withResolvers<Json>();
    this.#pending.set(number, answer);
    return answer.promise;
  }

  /** Throws unless the thread is ready. */
  check(): void {
    this.#thread.check();
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  #settle(answer: ParseResult): void {
    const waiting = this.#pending.get(answer.number);
    this.#pending.delete(answer.number);
    if ('found' in answer) waiting?.resolve(jsonOf(answer.found));
    else waiting?.reject(malformed(answer.wrong));
  }
}

function threadUnavailable(cause: unknown): Failure {
  return new Failure('overloaded', { cause });
}

export function requirePlain(request: Incoming): void {
  const encoding = request.header('content-encoding');
  if (encoding === null || encoding.toLowerCase() === 'identity') return;
  throw new Failure('unsupported_encoding', { headers: { 'Accept-Encoding': 'identity' } });
}
