/** One connection: serves requests one at a time and in order, and sends answers with backpressure. */
import type { Socket } from 'bun';
import { Failure } from '../domain/errors.ts';
import { Outbox } from './answer/outbox.ts';
import type { Reply } from './answer/reply.ts';
import { stream } from './answer/stream.ts';
import { Answers, dropParts, type LongBody, noRequest, type RequestHead } from './answers.ts';
import { Exchange } from './exchange.ts';
import type { Handlers } from './handlers.ts';
import { Inbox } from './request/inbox.ts';
import type { Incoming, Peer } from './request/incoming.ts';
import type { Input } from './request/input.ts';
import type { ServerState } from './server-state.ts';
import { timeouts } from './timeouts.ts';

/** Unread bytes, of the body and of the next requests; beyond this limit the socket is paused. */
const maxAhead = 64 * 1024;
/** Bytes that a client may still send after the connection was shut down; beyond this limit it is cut. */
const maxFarewell = 16 * 1024 * 1024;

type Phase = 'handshake' | 'idle' | 'head' | 'handling' | 'sending' | 'discarding' | 'farewell' | 'closed';

export class Connection {
  /** When `expire` is due, on the server's clock. */
  deadline: number;
  #phase: Phase = 'idle';
  readonly #in: Inbox;
  readonly #out: Outbox;
  readonly #answers: Answers;
  /** Set from a complete head until the answer is sent and the body has arrived. */
  #exchange: Exchange | undefined;
  #used = false;
  /** The client has closed its side. */
  #ended = false;
  /** Bytes that arrived after the connection was shut down. */
  #farewell = 0;

  constructor(
    readonly socket: Socket<Connection>,
    readonly server: ServerState,
    readonly handlers: Handlers,
    readonly peer: Peer,
  ) {
    if (peer.isSecure) this.#phase = 'handshake';
    this.deadline = server.now + (peer.overLimit ? timeouts.overLimit : timeouts.head);
    this.#in = new Inbox(socket, peer, () => this.#bodyWanted());
    const changed = () => {
      this.#updateHeld();
      // From here on the connection waits for the client to read.
      if (this.#out.unsent > 0) this.deadline = server.now + timeouts.reader;
    };
    this.#out = new Outbox(socket, server.scratch, changed, peer.isSecure ? undefined : server.files);
    this.#answers = new Answers(this.#out, server, peer);
  }

  /** The TLS handshake is complete. */
  secured(certificate: string | undefined): void {
    if (this.#phase !== 'handshake') return;
    this.peer.certificate = certificate;
    this.#phase = 'idle';
    if (!this.peer.overLimit) this.deadline = this.server.now + timeouts.head;
    if (this.server.stage === 'stopping') this.finish();
  }

  /** The server is stopping: ends a live answer, and closes the connection if it is idle. */
  finish(): void {
    this.#exchange?.live?.return();
    if (this.#phase !== 'idle' && this.#phase !== 'handshake') return;
    // A proxy opens a connection because it has a request, and cannot know that the server is stopping.
    if (this.#used) this.#hangUp();
    else this.deadline = Math.min(this.deadline, this.server.now + timeouts.first);
  }

  data(chunk: Input): void {
    if (this.#phase === 'farewell') {
      this.#farewell += chunk.length;
      if (this.#farewell > maxFarewell) this.socket.terminate();
      return;
    }
    const rest = this.#pushBody(chunk);
    if (rest.length > 0) this.#in.add(rest);
    if (this.#phase === 'idle' || this.#phase === 'head') this.#next();
    else if (this.#in.size + (this.#exchange?.body.waiting ?? 0) > maxAhead) this.#pause();
  }

  drain(): void {
    if (this.#out.unsent === 0) return;
    this.deadline = Number.POSITIVE_INFINITY;
    this.#out.drain();
  }

  /** The client has closed its side; it may still read. */
  end(): void {
    this.#ended = true;
    if (this.#phase === 'handling' || this.#phase === 'sending') this.#cut();
    else this.#hangUp();
  }

  close(): void {
    const exchange = this.#exchange;
    const isUnanswered = this.#phase === 'handling' || this.#phase === 'sending';
    this.#phase = 'closed';
    if (isUnanswered) exchange?.abandon();
    exchange?.cut();
    this.#out.close();
  }

  /** Called when `deadline` has passed. */
  expire(): void {
    this.deadline = Number.POSITIVE_INFINITY;
    if (this.#phase === 'handshake') this.socket.terminate();
    else if (this.#phase === 'idle') this.#hangUp();
    else if (this.#phase === 'head') this.#refuse(new Failure('request_timeout'));
    else if (this.#phase === 'handling') this.#timeOut();
    // After end() the kernel still delivers the bytes that it has accepted; terminate() would drop them.
    else if (this.#phase === 'farewell') this.socket.end();
    else if (this.#phase === 'discarding') this.#hangUp();
    // The kernel reports a socket as writable only when it has much room, and a slow reader may have made some.
    else if (!this.#out.retry()) this.socket.terminate();
  }

  /** The body or the answer is over its time limit. */
  #timeOut(): void {
    const exchange = this.#exchange;
    // The answer that follows has a deadline, too.
    if (exchange?.endEarly(this.#ended)) this.deadline = exchange.deadline();
    else if (exchange?.late !== undefined) {
      exchange.request.abort(new Failure('timed_out'));
      this.#send(exchange.late(), exchange.request.head);
      this.#next();
    }
  }

  /** An error in the server's own code: the answer is cut. */
  broken(error: unknown): void {
    this.handlers.report(error);
    this.socket.terminate();
  }

  /** Serves the requests that have arrived, as long as each is answered at once. */
  #next(): void {
    while (this.#phase === 'idle' || this.#phase === 'head') {
      this.#in.dropEmptyLines();
      if (this.#in.size === 0) break;
      if (this.#phase === 'idle') {
        this.#phase = 'head';
        this.deadline = this.server.now + timeouts.head;
      }
      try {
        const request = this.#in.take();
        if (request === undefined) break;
        this.#begin(request);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        this.#refuse(error);
      }
    }
    if (this.#ended && (this.#phase === 'idle' || this.#phase === 'head')) this.#hangUp();
    // The head of the last answer was sent before the stop, without Connection: close.
    if (this.server.stage === 'stopping' && this.#phase === 'idle') this.#hangUp();
  }

  #begin(request: Incoming): void {
    const exchange = new Exchange(request, this.server);
    this.#exchange = exchange;
    this.#phase = 'handling';
    this.#used = true;
    if (!request.body.done) this.#updateHeld();
    const answer = this.handlers.answer(request, (reply) => this.#sendLater(exchange, reply));
    if (typeof answer !== 'function') {
      this.#send(answer, request.head);
      return;
    }
    exchange.late = answer;
    this.deadline = exchange.deadline();
    if (this.#ended) this.#cut();
  }

  #sendLater(exchange: Exchange, reply: Reply): void {
    if ((this.#exchange === exchange && this.#phase === 'handling') || this.#phase === 'closed') {
      this.#send(reply, exchange.request.head);
      this.#next();
    } else dropParts(reply);
  }

  /** The client has closed its side: it may still read, or it has left. A read gets `timeouts.left` to finish. */
  #cut(): void {
    this.#exchange?.cut();
    if (this.#phase === 'handling' && this.#exchange?.isRead)
      this.deadline = Math.min(this.deadline, this.server.now + timeouts.left);
  }

  #updateHeld(): void {
    const exchange = this.#exchange;
    const unsent = exchange?.isShared ? 0 : this.#out.unsent;
    exchange?.hold(this.#phase === 'closed' ? 0 : unsent + exchange.body.held);
  }

  #endExchange(): void {
    this.#exchange?.hold(0);
    this.#exchange = undefined;
  }

  /** A handler awaits the body: send 100 Continue if it is expected, then resume the socket. */
  #bodyWanted(): void {
    this.#answers.continue(this.#exchange);
    this.#resume();
  }

  /** Returns the bytes after the body. */
  #pushBody(chunk: Input): Input {
    const exchange = this.#exchange;
    if (exchange === undefined || exchange.body.done) return chunk;
    const rest = exchange.body.push(chunk);
    if (this.#phase === 'handling') {
      if (!exchange.body.done || exchange.held > 0) this.#updateHeld();
      if (exchange.keepShare()) this.#updateHeld();
      this.deadline = exchange.deadline();
    } else if (this.#phase === 'discarding') {
      this.deadline = this.server.now + timeouts.body;
      if (exchange.body.done) this.#answered();
    }
    return rest;
  }

  #refuse(failure: Failure): void {
    this.#in.clear();
    this.#send(this.handlers.refuse(failure, this.peer), noRequest);
  }

  #send(reply: Reply, request: RequestHead): void {
    if (this.#phase === 'closed') {
      dropParts(reply);
      return;
    }
    this.#phase = 'sending';
    this.deadline = Number.POSITIVE_INFINITY;
    const long = this.#answers.write(reply, request, this.#exchange, this.#in.size > 0);
    if (long !== undefined) this.#stream(long);
    else if (this.#out.unsent === 0) this.#answered();
    else this.#out.whenEmpty(() => this.#finishAnswer());
  }

  #stream({ parts, isChunked }: LongBody): void {
    if ('live' in parts && this.#exchange !== undefined) this.#exchange.live = parts;
    if (this.server.stage === 'stopping' || this.#ended) this.#exchange?.live?.return();
    stream(parts, isChunked, this.#out, this.server.turns)
      .then(() => this.#out.whenEmpty(() => this.#finishAnswer()))
      // The error is logged; here the answer can only be cut.
      .catch(() => this.socket.terminate());
  }

  /** The answer is sent. The next request starts once the rest of this one's body is dropped. */
  #answered(): void {
    if (this.#phase === 'closed') return;
    const body = this.#exchange?.body;
    if (this.#exchange !== undefined) this.#exchange.live = undefined;
    if (this.#answers.isLast || (body !== undefined && (!body.abandon() || (this.#ended && !body.done)))) {
      this.#hangUp();
    } else if (body?.done === false) {
      this.#phase = 'discarding';
      this.deadline = this.server.now + timeouts.body;
    } else {
      this.#phase = 'idle';
      this.#endExchange();
      // One second more, because the current one is partly over: the connection must stay open for all of the keep-alive time.
      this.deadline = this.server.now + this.server.keepAliveSeconds + 1;
    }
    this.#updateHeld();
    this.#resume();
  }

  #finishAnswer(): void {
    this.#answered();
    this.#next();
  }

  /** Lingering close: input is read and dropped until the client closes, because closing at once may lose the answer. */
  #hangUp(): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'farewell';
    this.#endExchange();
    this.#in.clear();
    this.deadline = this.server.now + timeouts.farewell;
    if (this.#ended) this.socket.end();
    else this.socket.shutdown();
  }

  #pause(): void {
    this.#in.pause();
    // No deadline for the rest of the body while the client cannot send it.
    if (this.#phase === 'handling' && this.#exchange?.body.done === false) this.deadline = Number.POSITIVE_INFINITY;
  }

  #resume(): void {
    if (this.#in.resume() && this.#phase === 'handling' && this.#exchange !== undefined)
      this.deadline = this.#exchange.deadline();
  }
}
