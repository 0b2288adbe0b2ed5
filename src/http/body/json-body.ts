/** Reads JSON bodies, bounded and without loss of digits. The Content-Type is ignored. */

import { Failure, type FailureCode, StartError } from '../../domain/errors.ts';
import type { Json } from '../../domain/input/json.ts';
import { malformed, parseBytes, parseText } from '../../domain/input/parse-body.ts';
import type { Members } from '../../domain/record/row.ts';
import { type Soon, soon } from '../../domain/soon.ts';
import type { Requester } from '../../domain/store/client.ts';
import { FairQueue } from '../../threads/fair-queue.ts';
import { type LongWorkMemory, longWorkFor } from '../../threads/long-work.ts';
import { startThread } from '../../threads/start.ts';
import { SupervisedThread } from '../../threads/supervised.ts';
import { joined } from '../../wire/request/body.ts';
import type { Incoming } from '../../wire/request/incoming.ts';
import type { Input } from '../../wire/request/input.ts';
import type { Call } from '../route/route.ts';
import { jsonOf } from './body-outline.ts';
import type { ParseRequest, ParseResult } from './parse-thread.ts';

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

/** A large body. `onTurn` is called when it no longer waits. */
type Job = PromiseWithResolvers<Json> & {
  readonly pieces: readonly Input[];
  readonly members: Members;
  onTurn(): void;
};

export class Bodies {
  /** Large bodies that wait for the thread, which gets one at a time: clients take turns. */
  readonly #waiting = new FairQueue<Job>();
  #current: Job | undefined;
  readonly #thread: SupervisedThread<ParseResult | null>;
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
        work.leave();
        const lost = this.#waiting.remove(() => true);
        if (this.#current !== undefined) lost.push(this.#current);
        this.#current = undefined;
        for (const { reject } of lost) reject(threadUnavailable(cause));
      },
    });
    this.ready = this.#thread.ready.catch((error: Error) => {
      throw new StartError(`Cannot start: ${error.message}. Check the limits on threads and open files.`);
    });
    this.ready.catch(() => {});
  }

  /** Returns at once if the whole body has arrived, as a small one mostly has. */
  read(call: Pick<Call, 'request' | 'requester'>, members: Members): Soon<Json> {
    const { request } = call;
    requireUnencoded(request);
    const text = request.body.readText(this.maxBytes);
    if (text !== undefined) return parseText(text);
    const pieces = request.body.read(this.maxBytes);
    return soon(pieces, (all) => this.parse(all, members, call));
  }

  /**
   * Takes ownership of the bytes. A large body is parsed on the thread and comes back shallow: its nested values are empty,
   * and members that are not expected may be missing. Rejects with the signal's reason when the client has left before its turn.
   */
  parse(pieces: readonly Input[], members: Members, call: Pick<Call, 'requester'>): Soon<Json> {
    let size = 0;
    for (const { length } of pieces) size += length;
    if (size <= smallBytes) return parseBytes(joined(pieces));
    return this.#later(pieces, members, call.requester);
  }

  /** Throws unless the thread is ready. */
  check(): void {
    this.#thread.check();
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  #later(pieces: readonly Input[], members: Members, { client, signal }: Requester): Promise<Json> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const leave = () => {
      for (const { reject } of this.#waiting.remove((one) => one === job)) reject(signal?.reason);
    };
    const onTurn = () => signal?.removeEventListener('abort', leave);
    const job: Job = { ...Promise.withResolvers<Json>(), pieces, members, onTurn };
    signal?.addEventListener('abort', leave);
    this.#waiting.add(client, job);
    this.#next();
    return job.promise;
  }

  #next(): void {
    while (this.#current === undefined) {
      const job = this.#waiting.take();
      if (job === undefined) return;
      const { pieces, members, onTurn, reject } = job;
      onTurn();
      // A piece that owns its buffer is transferred without a copy.
      const own = pieces.map((piece) => (piece.length === piece.buffer.byteLength ? piece : new Uint8Array(piece)));
      const buffers = own.map(({ buffer }) => buffer);
      try {
        this.#thread.post({ pieces: own, members } satisfies ParseRequest, buffers);
        this.#current = job;
      } catch (cause) {
        reject(threadUnavailable(cause));
      }
    }
  }

  #settle(answer: ParseResult): void {
    const job = this.#current;
    this.#current = undefined;
    if ('found' in answer) job?.resolve(jsonOf(answer.found));
    else job?.reject(malformed(answer.wrong));
    this.#next();
  }
}

function threadUnavailable(cause: unknown): Failure {
  return new Failure('overloaded', { cause });
}

export function requireUnencoded(request: Incoming): void {
  const encoding = request.header('content-encoding');
  if (encoding === null || encoding.toLowerCase() === 'identity') return;
  throw new Failure('unsupported_encoding', { headers: { 'Accept-Encoding': 'identity' } });
}
