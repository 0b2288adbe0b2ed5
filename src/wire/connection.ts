/** One connection: requests in, one at a time and in order; answers out, at the pace of their reader. */
import type { Socket } from 'bun';
import { Failure } from '../domain/errors.ts';
import type { Handlers, Load, Pending } from './handlers.ts';
import { endOfHead, type Fields, type Head, HeadReader, maxHeadBytes } from './head.ts';
import { Body, Incoming, noBody, type Peer } from './incoming.ts';
import { Outbox } from './outbox.ts';
import { type HeadEnds, headText, type Live, type Parts, type Reply } from './reply.ts';
import { stream } from './stream.ts';
import type { Turns } from './turns.ts';

/** `draining`: an answer ends its connection, unless the next request is here already. `stopping`: an idle one is closed. */
export type Stage = 'serving' | 'draining' | 'stopping';

/** What all connections of a server share. */
export type Shared = {
  stage: Stage;
  readonly handlers: Handlers;
  readonly load: Load;
  /** In seconds: how long one request may take, its body included. */
  readonly patience: number;
  /** In seconds: how long a connection is kept for the next request. */
  readonly keepAlive: number;
  /** In seconds: how long a body may take to arrive, at whatever pace. */
  readonly bodyPatience: number;
  /** Seconds since the server started. */
  now: number;
  /** Long answers go out a part at a time. */
  readonly turns: Turns;
  /** An answer is put together here, so that it goes out in one piece. */
  readonly scratch: Buffer;
  headEnds: HeadEnds;
};

/**
 * In seconds: until the first request begins where there are too many connections or the server is stopping; a head is
 * whole, more of a body comes, a reader takes more, it hangs up; and for a read whose client sends nothing more, and may
 * have left.
 */
const patience = { extra: 2, first: 2, head: 15, body: 20, reader: 10, farewell: 2, left: 2 };
/** A reader is looked at so often without a sign of life before it is cut. */
const maxStalls = 2;

/** What is left of a body after that time must come at so many bytes a second. */
const slowestBody = 1024;

/** What a client may send ahead of its turn before it is made to wait. */
const maxAhead = 64 * 1024;
/** What a client may go on to send after it was told that the connection ends. */
const maxFarewell = 16 * 1024 * 1024;

/** What arrives. */
type Input = Buffer<ArrayBuffer>;

const nothing: Input = Buffer.alloc(0);

type Phase = 'idle' | 'head' | 'handling' | 'sending' | 'discarding' | 'farewell' | 'closed';

/** What an answer depends on; of what is no request, the least is assumed. */
type Asked = { readonly method: string; readonly fields: Pick<Fields, 'modern' | 'keepAlive'> };
const noRequest: Asked = { method: '', fields: { modern: true, keepAlive: false } };

export class Connection {
  /** When `expire` is due, on the server's clock. */
  deadline: number;
  #phase: Phase = 'idle';
  readonly #heads = new HeadReader();
  #input = nothing;
  #body: Body | undefined;
  /** The client waits for 100 Continue before it sends the body, and has not been told. */
  #expectsContinue = false;
  /** An answer under way that has no end of its own. */
  #live: Live | undefined;
  readonly #out: Outbox;
  /** There was a request on it. */
  #used = false;
  /** The connection ends with the answer that is under way. */
  #last = false;
  /** The client sends nothing more. */
  #ended = false;
  #paused = false;
  #farewell = 0;
  #stalls = 0;
  /** The request that is being answered. */
  #handling: Incoming | undefined;
  #late: Pending['late'] | undefined;
  /** The same until the last of its answer is out. */
  #serving: Incoming | undefined;
  #begun = 0;
  /** When all of its body was here; from then on it is we who let the client wait. */
  #workFrom: number | undefined;
  #shared = false;
  /** What this connection has told of under `shared.load.held`. */
  #held = 0;

  constructor(
    readonly socket: Socket<Connection>,
    readonly shared: Shared,
    readonly peer: Peer,
  ) {
    this.deadline = peer.extra ? shared.now + patience.extra : this.#idleUntil();
    this.#out = new Outbox(socket, shared.scratch, () => {
      this.#weigh();
      // From here on it is the reader who is waited for.
      if (this.#out.unsent > 0) this.deadline = shared.now + patience.reader;
    });
  }

  /** The server is stopping: ends what has no end of its own, and takes no request beyond those that have arrived. */
  finish(): void {
    this.#live?.return();
    if (this.#phase !== 'idle') return;
    // A proxy connects because it has a request, and cannot know that it has connected to a server that stops.
    if (this.#used) this.#hangUp();
    else this.deadline = Math.min(this.deadline, this.shared.now + patience.first);
  }

  data(chunk: Input): void {
    if (this.#phase === 'farewell') {
      this.#farewell += chunk.length;
      if (this.#farewell > maxFarewell) this.socket.terminate();
      return;
    }
    const rest = this.#pushBody(chunk);
    if (rest.length > 0) this.#input = this.#input.length === 0 ? rest : Buffer.concat([this.#input, rest]);
    if (this.#phase === 'idle' || this.#phase === 'head') this.#next();
    else if (this.#input.length + (this.#body?.waiting ?? 0) > maxAhead) this.#pause();
  }

  drain(): void {
    if (this.#out.unsent === 0) return;
    this.deadline = Number.POSITIVE_INFINITY;
    if (this.#out.drain() > 0) this.#stalls = 0;
  }

  /** The client has sent all that it will; it may still read. */
  end(): void {
    this.#ended = true;
    // What never ends would be sent to nobody: a client that leaves looks like one that has sent all.
    this.#live?.return();
    if (this.#phase === 'handling' || this.#phase === 'sending') this.#cutBody();
    else this.#hangUp();
  }

  close(): void {
    this.#phase = 'closed';
    this.#serving?.abort(leftEarly());
    this.#live?.return();
    this.#body?.fail(brokenOff());
    this.#out.close();
  }

  /** Something took longer than its time. */
  expire(): void {
    this.deadline = Number.POSITIVE_INFINITY;
    if (this.#phase === 'idle') this.#hangUp();
    else if (this.#phase === 'head') this.#refuse(new Failure('request_timeout'));
    else if (this.#phase === 'handling') this.#giveUp();
    // The system goes on to deliver what it has taken, where cutting would drop it.
    else if (this.#phase === 'farewell') this.socket.end();
    else if (this.#phase === 'discarding') this.#hangUp();
    else this.#lookForRoom();
  }

  /** It is the client that lets us wait for its body, or ourselves who let it wait for its answer. */
  #giveUp(): void {
    const request = this.#handling;
    if (this.#body?.done === false) {
      this.#body.fail(new Failure('request_timeout'));
      // Whoever does not read it has not noticed.
      this.#waitForBody(this.#body);
    } else if (this.#ended && isRead(request) && !request.signal.aborted) {
      // What heeds it is answered so, to one that has closed its side and still reads.
      request.abort(leftEarly());
      this.#waitForBody(request.body);
    } else if (request !== undefined && this.#late !== undefined) {
      request.abort(new Failure('timed_out'));
      this.#handling = undefined;
      this.#send(this.#late(), request.asked);
      this.#next();
    }
  }

  /** The system tells of room only when there is much of it: a slow reader may have made some all the same. */
  #lookForRoom(): void {
    this.#stalls++;
    this.drain();
    if (this.#stalls >= maxStalls) this.socket.terminate();
  }

  /** Something went wrong in our own code; what the client has of its answer so far is all that it gets. */
  broken(error: unknown): void {
    this.shared.handlers.report(error);
    this.socket.terminate();
  }

  /** Serves what has arrived, for as long as it can be answered at once. */
  #next(): void {
    while (this.#phase === 'idle' || this.#phase === 'head') {
      while (this.#input[0] === 0x0d && this.#input[1] === 0x0a) this.#input = this.#input.subarray(2);
      if (this.#input.length === 0) break;
      if (this.#phase === 'idle') {
        this.#phase = 'head';
        this.deadline = this.shared.now + patience.head;
      }
      try {
        const text = this.#input.toString('latin1', 0, maxHeadBytes + 4);
        const end = endOfHead(text);
        if (end < 0) break;
        const head = this.#heads.read(end === text.length ? text : text.slice(0, end));
        this.#begin(head, this.#takeBody(head, text, end));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        this.#refuse(error);
      }
    }
    if (this.#ended && (this.#phase === 'idle' || this.#phase === 'head')) this.#hangUp();
    // Its last answer had gone out too far to say that the connection ends.
    if (this.shared.stage === 'stopping' && this.#phase === 'idle') this.#hangUp();
  }

  /** What lies behind the head in the input is the body's, and then the next request's. `text` is the input's beginning. */
  #takeBody({ fields: { framing, asksFirst } }: Head, text: string, headBytes: number): Body {
    this.#expectsContinue = false;
    if (framing === 0) {
      this.#dropInput(headBytes);
      return noBody;
    }
    const end = framing === 'chunked' ? Number.POSITIVE_INFINITY : headBytes + framing;
    const ascii = asciiIn(text, headBytes, end);
    if (ascii !== undefined) {
      this.#dropInput(end);
      return Body.whole(ascii);
    }
    this.#expectsContinue = asksFirst;
    const body = new Body(framing, () => this.#wanted());
    this.#dropInput(headBytes);
    this.#input = body.push(this.#input);
    if (body.failure !== undefined) throw body.failure;
    return body;
  }

  #dropInput(bytes: number): void {
    this.#input = bytes === this.#input.length ? nothing : this.#input.subarray(bytes);
  }

  #begin(head: Head, body: Body): void {
    this.#phase = 'handling';
    this.#used = true;
    this.#body = body;
    if (!body.done) this.#weigh();
    const request = new Incoming(head, body, this.peer);
    const answering = this.shared.handlers.answer(request);
    if (!('late' in answering)) {
      this.#send(answering, head);
      return;
    }
    this.#late = answering.late;
    this.#handling = request;
    this.#serving = request;
    this.#begun = this.shared.now;
    this.#workFrom = undefined;
    this.#waitForBody(body);
    if (this.#ended) this.#cutBody();
    answering.reply.then((later) => {
      if (this.#handling === request || this.#phase === 'closed') {
        this.#send(later, head);
        this.#next();
      } else if (isParts(later.body)) later.body.return?.();
    });
  }

  /** What has not come will not. A client that only closed its side still reads, and one that has left looks the same. */
  #cutBody(): void {
    this.#body?.fail(brokenOff());
    if (isRead(this.#handling)) this.deadline = Math.min(this.deadline, this.shared.now + patience.left);
  }

  /** For more of it, and in all no longer than it may take; for the answer where all of it is here. */
  #waitForBody(body: Body): void {
    const { now, patience: mostSeconds, bodyPatience } = this.shared;
    if (body.done) {
      this.#workFrom ??= now;
      // The second that is under way does not count.
      this.deadline = this.#workFrom + mostSeconds + 1;
    } else {
      const paced = mostSeconds + 1 + Math.floor(body.arrived / slowestBody);
      this.deadline = Math.min(now + patience.body, this.#begun + Math.min(paced, bodyPatience + 1));
    }
  }

  /** Keeps the account of what this connection has in hand. */
  #weigh(): void {
    const unsent = this.#shared ? 0 : this.#out.unsent;
    const held = this.#phase === 'closed' ? 0 : unsent + (this.#body?.held ?? 0);
    this.shared.load.held += held - this.#held;
    this.#held = held;
  }

  /** A handler awaits the body. */
  #wanted(): void {
    const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';
    if (this.#expectsContinue) this.#out.writeText(goOn, goOn.length);
    this.#expectsContinue = false;
    this.#resume();
  }

  /** Gives the body what belongs to it, and answers the rest. */
  #pushBody(chunk: Input): Input {
    const body = this.#body;
    if (body === undefined || body.done) return chunk;
    const rest = body.push(chunk);
    if (this.#phase === 'handling') {
      this.#waitForBody(body);
      if (!body.done || this.#held > 0) this.#weigh();
    } else if (this.#phase === 'discarding') {
      this.deadline = this.shared.now + patience.body;
      if (body.done) this.#answered();
    }
    return rest;
  }

  #refuse(failure: Failure): void {
    this.#input = nothing;
    this.#send(this.shared.handlers.refuse(failure, this.peer), noRequest);
  }

  #send(reply: Reply, asked: Asked): void {
    const { status, size } = reply;
    const { modern, keepAlive } = asked.fields;
    const content = asked.method === 'HEAD' || status === 204 || status === 304 ? null : reply.body;
    if (isParts(reply.body) && (content === null || this.#phase === 'closed')) reply.body.return?.();
    if (this.#phase === 'closed') return;

    this.#phase = 'sending';
    this.#handling = undefined;
    this.#shared = reply.shared === true;
    this.deadline = Number.POSITIVE_INFINITY;
    const ending = size !== undefined ? 'length' : modern ? 'chunked' : 'close';
    if (!keepAlive || this.peer.extra || ending === 'close' || this.#body?.abandon() === false) this.#last = true;
    // Whether a client that was not told to go on still sends the body, or the next request, cannot be known.
    if (this.#expectsContinue && this.#body?.done === false) this.#last = true;
    // A client that has sent its next request already would not learn what became of it.
    if (this.shared.stage !== 'serving' && this.#input.length === 0) this.#last = true;
    const { kept, closed } = this.shared.headEnds;
    const head = headText(reply, ending, this.#last ? closed : kept);

    if (content === null) this.#out.writeText(head, head.length);
    else if (typeof content === 'string') this.#out.writeText(head + content, head.length + (size ?? 0));
    else if (content instanceof Uint8Array) this.#out.writeBoth(head, content);
    else {
      this.#out.writeText(head, head.length);
      this.#stream(content, ending === 'chunked');
      return;
    }
    if (this.#out.unsent === 0) this.#answered();
    else this.#out.whenEmpty(() => this.#goOn());
  }

  #stream(parts: Parts, chunked: boolean): void {
    if ('live' in parts) this.#live = parts;
    if (this.shared.stage === 'stopping' || this.#ended) this.#live?.return();
    stream(parts, chunked, this.#out, this.shared.turns)
      .then(() => this.#out.whenEmpty(() => this.#goOn()))
      // Whoever makes the parts reports what went wrong; all that is left to say is that this is not the whole.
      .catch(() => this.socket.terminate());
  }

  /** The answer is out: on to the next request, once the rest of this one's body has passed. */
  #answered(): void {
    if (this.#phase === 'closed') return;
    this.#live = undefined;
    this.#serving = undefined;
    const cutShort = this.#ended && this.#body?.done === false;
    if (this.#last || cutShort || this.#body?.abandon() === false) {
      this.#hangUp();
    } else if (this.#body?.done === false) {
      this.#phase = 'discarding';
      this.deadline = this.shared.now + patience.body;
    } else {
      this.#phase = 'idle';
      this.#body = undefined;
      this.deadline = this.#idleUntil();
    }
    if (this.#held > 0) this.#weigh();
    this.#resume();
  }

  /** The second that is under way does not count: a client must find the connection open for all of its time. */
  #idleUntil(): number {
    return this.shared.now + this.shared.keepAlive + 1;
  }

  #goOn(): void {
    this.#answered();
    this.#next();
  }

  /** What the client is still sending is let in and dropped, or the answer might be lost on its way. */
  #hangUp(): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'farewell';
    this.#body = undefined;
    this.#input = nothing;
    this.deadline = this.shared.now + patience.farewell;
    if (this.#ended) this.socket.end();
    else this.socket.shutdown();
  }

  #pause(): void {
    if (!this.#paused) this.socket.pause();
    this.#paused = true;
    // It is not the client now that is waited for, unless all of its request is here.
    if (this.#phase === 'handling' && this.#body?.done === false) this.deadline = Number.POSITIVE_INFINITY;
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (this.#phase === 'handling' && this.#body !== undefined) this.#waitForBody(this.#body);
    this.socket.resume();
  }
}

function isParts(body: Reply['body']): body is Parts {
  return body !== null && typeof body !== 'string' && !(body instanceof Uint8Array);
}

const beyondAscii = /[\x80-\xff]/;

/** A part of the text, if all of it is there and in ASCII. */
function asciiIn(text: string, from: number, to: number): string | undefined {
  if (to > text.length) return undefined;
  const part = text.slice(from, to);
  return beyondAscii.test(part) ? undefined : part;
}

function brokenOff(): Failure {
  return new Failure('malformed_request', { detail: 'The connection closed before the whole body had arrived.' });
}

function leftEarly(): Failure {
  return new Failure('malformed_request', { detail: 'The connection closed before the answer was ready.' });
}

function isRead(request: Incoming | undefined): request is Incoming {
  return request?.method === 'GET' || request?.method === 'HEAD';
}
