/** One request and its answer. */
import { Failure } from '../domain/errors.ts';
import type { Live, Reply } from './answer/reply.ts';
import type { Body } from './request/body.ts';
import type { Incoming } from './request/incoming.ts';
import type { ServerState } from './server-state.ts';
import { timeouts } from './timeouts.ts';

/** Bytes per second. A body that arrives at this rate may take longer than one request may. */
const minBodyRate = 1024;

const heldTooMuch = 'The bodies of this client take up its share of the memory: retry shortly, and send fewer at once.';

export class Exchange {
  /** The client waits for 100 Continue before it sends the body. */
  expectsContinue: boolean;
  /** Makes the reply that is sent if the answer takes too long. */
  late: (() => Reply) | undefined;
  /** The answer, if it is live: it ends only when it is returned. */
  live: Live | undefined;
  /** The answer's bytes are in memory anyway, so they do not count as held by this connection. */
  isShared = false;
  /** When the body was complete, on the server's clock: the time limit for the answer starts here. */
  #answerFrom: number | undefined;
  readonly #begun: number;
  /** Bytes: the part of this exchange in `server.load.held`. Set by `hold`. */
  held = 0;
  /** The counter of its client. */
  #holder: number | undefined;

  constructor(
    readonly request: Incoming,
    readonly server: ServerState,
  ) {
    this.expectsContinue = request.head.fields.expectsContinue;
    this.#begun = server.now;
  }

  get body(): Body {
    return this.request.body;
  }

  get isRead(): boolean {
    return this.request.method === 'GET' || this.request.method === 'HEAD';
  }

  /**
   * While the body arrives: `timeouts.body` for the next bytes, and a limit for the whole body. After that: the limit
   * for the answer.
   */
  deadline(): number {
    const { now, requestSeconds, bodySeconds } = this.server;
    if (this.body.done) {
      this.#answerFrom ??= now;
      // One second more, because the current one is partly over.
      return this.#answerFrom + requestSeconds + 1;
    }
    const paced = requestSeconds + 1 + Math.floor(this.body.arrived / minBodyRate);
    return Math.min(now + timeouts.body, this.#begun + Math.min(paced, bodySeconds + 1));
  }

  /** Most requests never hold anything, so their client is not asked for. */
  hold(bytes: number): void {
    if (bytes === this.held) return;
    const { load } = this.server;
    this.#holder ??= load.holderOf(this.request);
    load.hold(this.held, bytes, this.#holder);
    this.held = bytes;
  }

  /**
   * Fails a body that grows while its client holds too much: the request was accepted before, and so were all others of this client. Returns whether it did.
   */
  keepShare(): boolean {
    if (this.body.done || this.#holder === undefined || this.server.load.mayGrow(this.#holder, this.held)) return false;
    this.body.fail(new Failure('overloaded', { detail: heldTooMuch }));
    return true;
  }

  /** The deadline has passed: the handler answers with a failure soon. False if it was told already, or if it is late itself. */
  endEarly(clientHasEnded: boolean): boolean {
    if (!this.body.done) this.body.fail(new Failure('request_timeout'));
    // The client has closed its side, but may still read.
    else if (clientHasEnded && this.isRead && !this.request.signal.aborted) this.abandon();
    else return false;
    return true;
  }

  /** The client has closed its side: the rest of the body will not arrive. It may have left, and a live answer to it would never end. */
  cut(): void {
    this.live?.return();
    this.body.fail(
      new Failure('malformed_request', { detail: 'The connection closed before the whole body had arrived.' }),
    );
  }

  /** The client has left. */
  abandon(): void {
    this.request.abort(
      new Failure('malformed_request', { detail: 'The connection closed before the answer was ready.' }),
    );
  }
}
