/** One request and its answer. */
import { Failure } from '../domain/errors.ts';
import type { Live, Reply } from './answer/reply.ts';
import type { Body } from './request/body.ts';
import type { Incoming } from './request/incoming.ts';
import type { ServerState } from './server-state.ts';
import { timeouts } from './timeouts.ts';

/** Bytes per second. A body that arrives at this rate may take longer than one request may. */
const minBodyRate = 1024;

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

  /** Whether its client holds too much for this body to grow. */
  get isOverShare(): boolean {
    return this.#holder !== undefined && !this.server.load.mayGrow(this.#holder, this.held);
  }

  /** The client has closed its side: the rest of the body will not arrive. */
  cutBody(): void {
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
