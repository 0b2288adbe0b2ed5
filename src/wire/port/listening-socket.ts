/** A listening socket, of a port or a Unix socket, whose certificate can be replaced while it listens. */
import { descriptorOf, duplicate } from './descriptor.ts';
import { type TlsFiles, tlsOptions } from './tls.ts';

export type PortAddress = {
  readonly hostname: string;
  readonly port: number;
  /** Shared with other processes that set it, too; the kernel spreads connections over them. */
  readonly sharePort: boolean;
};

/** An address, or the descriptor of a socket that listens already. */
export type Address = PortAddress | { readonly descriptor: number };

/** The system's error. */
export class CannotListen extends Error {
  constructor(
    readonly address: Address,
    cause: Error,
  ) {
    super(cause.message, { cause });
  }

  get code(): string | undefined {
    const { cause } = this;
    return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  }
}

export class ListeningSocket<Data> {
  #listener: Bun.TCPSocketListener<Data>;
  readonly port: number;
  readonly isSecure: boolean;
  readonly isPort: boolean;

  /** Throws CannotListen. */
  constructor(
    address: Address,
    /** Undefined for plain HTTP. */
    tls: TlsFiles | undefined,
    readonly events: Bun.SocketHandler<Data>,
  ) {
    this.#listener = listenAt(address, tls, events);
    this.port = this.#listener.port;
    this.isSecure = tls !== undefined;
    this.isPort = 'port' in address;
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

function listenAt<Data>(
  address: Address,
  tls: TlsFiles | undefined,
  events: Bun.SocketHandler<Data>,
): Bun.TCPSocketListener<Data> {
  const options = {
    // A client may close its side after its last request, and still wait for the answer.
    allowHalfOpen: true,
    socket: events,
    ...('port' in address
      ? { hostname: address.hostname, port: address.port, reusePort: address.sharePort }
      : { fd: address.descriptor }),
    ...(tls === undefined ? {} : { tls: tlsOptions(tls) }),
  };
  try {
    // The type has neither `reusePort` nor `fd`.
    return Bun.listen<Data>(options as unknown as Bun.TCPSocketListenOptions<Data>);
  } catch (error) {
    throw new CannotListen(address, error instanceof Error ? error : new Error(String(error)));
  }
}
