/** The answers of one connection, and which of them is the last one. */
import type { Outbox } from './answer/outbox.ts';
import { headText, isParts, type Parts, type Reply } from './answer/reply.ts';
import type { Exchange } from './exchange.ts';
import type { Fields } from './request/head.ts';
import type { Peer } from './request/incoming.ts';
import type { ServerState } from './server-state.ts';

/** The parts of a request's head that the answer depends on. */
export type RequestHead = { readonly method: string; readonly fields: Pick<Fields, 'modern' | 'keepAlive'> };
export const noRequest: RequestHead = { method: '', fields: { modern: true, keepAlive: false } };

const interim = 'HTTP/1.1 100 Continue\r\n\r\n';

/** A body whose head is written. */
export type LongBody = { readonly parts: Parts; readonly isChunked: boolean };

export class Answers {
  /** The connection ends with the current answer. */
  isLast = false;

  constructor(
    readonly out: Outbox,
    readonly server: ServerState,
    readonly peer: Peer,
  ) {}

  /** `hasNext`: the next request has arrived. Returns what is still to be sent part by part. */
  write(reply: Reply, request: RequestHead, exchange: Exchange | undefined, hasNext: boolean): LongBody | undefined {
    const { status, size, shared } = reply;
    const content = request.method === 'HEAD' || status === 204 || status === 304 ? null : reply.body;
    if (content === null) dropParts(reply);
    if (exchange !== undefined) exchange.isShared = shared === true;
    const ending = size !== undefined ? 'length' : request.fields.modern ? 'chunked' : 'close';
    if (this.#mustEnd(request, exchange, hasNext) || ending === 'close') this.isLast = true;
    const { kept, closed } = this.server.headEnds[this.peer.isSecure ? 'secure' : 'plain'];
    const head = headText(reply, ending, this.isLast ? closed : kept);

    if (content === null) this.out.writeText(head, head.length);
    else if (typeof content === 'string') this.out.writeText(head + content, head.length + (size ?? 0));
    else if (content instanceof Uint8Array) this.out.writeBoth(head, content, shared);
    else {
      this.out.writeText(head, head.length);
      return { parts: content, isChunked: ending === 'chunked' };
    }
    return undefined;
  }

  /** Sends 100 Continue if it is expected. */
  continue(exchange: Exchange | undefined): void {
    if (!exchange?.expectsContinue) return;
    exchange.expectsContinue = false;
    this.out.writeText(interim, interim.length);
  }

  #mustEnd({ fields }: RequestHead, exchange: Exchange | undefined, hasNext: boolean): boolean {
    if (!fields.keepAlive || this.peer.overLimit || exchange?.body.abandon() === false) return true;
    // Without 100 Continue the client may send the body next, or the next request: the server cannot know which.
    if (exchange?.expectsContinue && !exchange.body.done) return true;
    // A next request that has already arrived is answered first: otherwise its client would not learn the outcome.
    return this.server.stage !== 'serving' && !hasNext;
  }
}

/** For a reply whose body is not sent. */
export function dropParts({ body }: Reply): void {
  if (isParts(body)) body.return?.();
}
