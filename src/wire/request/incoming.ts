/** A request: its head, and its body, which may still be arriving. */
import type { Failure } from '../../domain/errors.ts';
import type { Body } from './body.ts';
import { all, type Head } from './head.ts';

/** Where a connection comes from. */
export type Origin = {
  /** 127.0.0.1 on a Unix socket. */
  readonly address: string;
  /** On a Unix socket: the peer is a proxy, or one of several clients that cannot be told apart. */
  readonly isUnix: boolean;
};

/** The parts of a request that tell who sends it. */
export type Sender = { readonly peer: Origin; header(name: string): string | null };

/** The client's end of a connection. */
export type Peer = Origin & {
  /** The connection is beyond --max-connections, or beyond the client's share of them: only health is answered. */
  readonly overLimit: boolean;
  /** Over TLS. */
  readonly isSecure: boolean;
  /** The subject of the client's certificate, set after the handshake; undefined where clients need none. */
  certificate: string | undefined;
};

export class Incoming {
  readonly method: string;
  readonly target: string;
  #controller: AbortController | undefined;

  constructor(
    readonly head: Head,
    readonly body: Body,
    readonly peer: Peer,
  ) {
    this.method = head.method;
    this.target = head.target;
  }

  /** The request has If-Match or If-None-Match. */
  get conditional(): boolean {
    return this.head.fields.conditional;
  }

  /** Aborted with a Failure when the answer has no reader any more: the client has left, or the request timed out. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  abort(why: Failure): void {
    this.#controller ??= new AbortController();
    this.#controller.abort(why);
  }

  /** `name` is in lower case. Null if the header was not sent; the values of a repeated one are joined with commas. */
  header(name: string): string | null {
    const { names, values } = this.head.fields;
    const index = names.indexOf(name);
    if (index < 0) return null;
    return names.indexOf(name, index + 1) < 0 ? (values[index] ?? null) : all(names, values, name);
  }
}
