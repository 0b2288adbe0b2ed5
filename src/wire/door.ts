/** A listening socket, of a port or a Unix socket, whose certificate can be replaced while it listens. */
import type { Connection } from './connection.ts';
import { descriptorOf, duplicate } from './descriptor.ts';
import type { Handlers } from './handlers.ts';
import { type TlsFiles, tlsOptions } from './tls.ts';

export type Address = {
  readonly hostname: string;
  readonly port: number;
  /** Shared with other processes that set it, too; the kernel spreads connections over them. */
  readonly sharePort: boolean;
};

/** An address, or the descriptor of a socket that listens already. */
export type Place = Address | { readonly descriptor: number };

export type Door = {
  readonly place: Place;
  /** Undefined for plain HTTP. */
  readonly tls?: TlsFiles | undefined;
  readonly handlers: Handlers;
};

/** The system's error. */
export class CannotListen extends Error {
  constructor(
    readonly place: Place,
    cause: Error,
  ) {
    super(cause.message, { cause });
  }

  get code(): string | undefined {
    const { cause } = this;
    return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  }
}

type Events = Bun.SocketHandler<Connection>;

export class OpenDoor {
  #listener: Bun.TCPSocketListener<Connection>;
  readonly port: number;
  readonly isSecure: boolean;
  readonly isPort: boolean;

  /** Throws CannotListen. */
  constructor(
    { place, tls }: Door,
    readonly events: Events,
  ) {
    this.#listener = listenAt(place, tls, events);
    this.port = this.#listener.port;
    this.isSecure = tls !== undefined;
    this.isPort = 'port' in place;
  }

  get descriptor(): number {
    return descriptorOf(this.#listener);
  }

  /**
   * From now on connections get this certificate; open ones stay. The runtime cannot replace the certificate of a
   * listener, so a second listener takes over the same socket, and no connection in its queue is lost.
   */
  renew(tls: TlsFiles): void {
    const descriptor = duplicate(this.descriptor);
    if (descriptor === undefined) throw new Error('this system cannot replace the certificate of an open port');
    const next = listenAt({ descriptor }, tls, this.events);
    this.#listener.stop();
    this.#listener = next;
  }

  stop(): void {
    this.#listener.stop();
  }
}

function listenAt(place: Place, tls: TlsFiles | undefined, events: Events): Bun.TCPSocketListener<Connection> {
  const options = {
    // A client may close its side after its last request, and still wait for the answer.
    allowHalfOpen: true,
    socket: events,
    ...('port' in place
      ? { hostname: place.hostname, port: place.port, reusePort: place.sharePort }
      : { fd: place.descriptor }),
    ...(tls === undefined ? {} : { tls: tlsOptions(tls) }),
  };
  try {
    // The type has neither `reusePort` nor `fd`.
    return Bun.listen<Connection>(options as unknown as Bun.TCPSocketListenOptions<Connection>);
  } catch (error) {
    throw new CannotListen(place, error instanceof Error ? error : new Error(String(error)));
  }
}
