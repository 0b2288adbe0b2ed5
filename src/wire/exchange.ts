/** One request and its answer. */
import { Failure } from '../domain/errors.ts';
import type { Body } from './body.ts';
import type { Incoming } from './incoming.ts';
import { patience } from './patience.ts';
import type { Live, Reply } from './reply.ts';
import type { Shared } from './shared.ts';

/** Bytes per second at which the rest of a body must arrive once the time for a request is over. */
const slowestBody = 1024;

export class Exchange {
  /** The client waits for 100 Continue before it sends the body. */
  expectsContinue: boolean;
  /** In place of an answer that takes too long. */
  late: (() => Reply) | undefined;
  /** An answer without an end of its own. */
  live: Live | undefined;
  /** The answer's bytes are in memory anyway, and do not count as held by this connection. */
  isShared = false;
  /** When the body had arrived in full; from then on the client waits for the server. */
  #workFrom: number | undefined;

  constructor(
    readonly request: Incoming,
    readonly begun: number,
  ) {
    this.expectsContinue = request.asked.fields.asksFirst;
  }

  get body(): Body {
    return this.request.body;
  }

  get isRead(): boolean {
    return this.request.method === 'GET' || this.request.method === 'HEAD';
  }

  /** For more of the body, and in all no longer than it may take; for the answer once all of the body is here. */
  deadline({ now, patience: mostSeconds, bodyPatience }: Shared): number {
    if (this.body.done) {
      this.#workFrom ??= now;
      // The current second does not count.
      return this.#workFrom + mostSeconds + 1;
    }
    const paced = mostSeconds + 1 + Math.floor(this.body.arrived / slowestBody);
    return Math.min(now + patience.body, this.begun + Math.min(paced, bodyPatience + 1));
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
