/** A TCP proxy between a client and its database that can cut, redirect, delay or drop traffic. */
import type { Socket } from 'bun';

type Side = { other: Socket<Side> | undefined; waiting: Uint8Array[] };

export class Forwarder {
  readonly port: number;
  /** While set, all bytes are dropped in both directions, and connections stay open. */
  swallows = false;
  /** While set, all bytes are delayed, like packets that TCP retransmits until they arrive. */
  #holds = false;
  readonly #held: { readonly from: Socket<Side>; readonly chunk: Uint8Array }[] = [];
  /** While set, new connections are closed at once. */
  refuses = false;
  readonly #listener: Bun.TCPSocketListener<Side>;
  readonly #open = new Set<Socket<Side>>();

  constructor(
    public target: number,
    /** Of the target. */
    readonly hostname = '127.0.0.1',
  ) {
    this.#listener = Bun.listen<Side>({
      hostname: '127.0.0.1',
      port: 0,
      data: { other: undefined, waiting: [] },
      socket: {
        open: (socket) => this.#accept(socket),
        data: (socket, chunk) => this.#pass(socket, chunk),
        drain: (socket) => this.#drain(socket),
        close: (socket) => this.#closed(socket),
        error: (socket) => this.#closed(socket),
      },
    });
    this.port = this.#listener.port;
  }

  /** The same URL through this proxy. */
  through(url: string): string {
    const address = new URL(url);
    address.port = String(this.port);
    return address.href;
  }

  hold(): void {
    this.#holds = true;
  }

  /** Forwards the delayed bytes, in order. */
  release(): void {
    this.#holds = false;
    for (const { from, chunk } of this.#held.splice(0)) this.#pass(from, chunk);
  }

  cutAll(): void {
    for (const socket of this.#open) socket.terminate();
  }

  stop(): void {
    this.cutAll();
    this.#listener.stop(true);
  }

  #accept(client: Socket<Side>): void {
    client.data = { other: undefined, waiting: [] };
    this.#open.add(client);
    if (this.refuses) {
      client.terminate();
      return;
    }
    if (this.swallows) return;
    Bun.connect<Side>({
      hostname: this.hostname,
      port: this.target,
      data: { other: client, waiting: [] },
      socket: {
        open: (server) => {
          this.#open.add(server);
          client.data.other = server;
          for (const chunk of client.data.waiting.splice(0)) this.#write(server, chunk);
        },
        data: (server, chunk) => this.#pass(server, chunk),
        drain: (server) => this.#drain(server),
        close: (server) => this.#closed(server),
        error: (server) => this.#closed(server),
        connectError: () => client.terminate(),
      },
    }).catch(() => client.terminate());
  }

  #pass(from: Socket<Side>, chunk: Uint8Array): void {
    if (this.swallows) return;
    if (this.#holds) {
      this.#held.push({ from, chunk: Uint8Array.from(chunk) });
      return;
    }
    const { other } = from.data;
    // The connection to the server is not open yet.
    if (other === undefined) from.data.waiting.push(Uint8Array.from(chunk));
    else this.#write(other, chunk);
  }

  #write(to: Socket<Side>, chunk: Uint8Array): void {
    if (to.data.waiting.length > 0) {
      to.data.waiting.push(Uint8Array.from(chunk));
      return;
    }
    const sent = Math.max(to.write(chunk), 0);
    if (sent < chunk.length) to.data.waiting.push(Uint8Array.from(chunk.subarray(sent)));
  }

  #drain(socket: Socket<Side>): void {
    if (socket.data.other === undefined) return;
    for (const chunk of socket.data.waiting.splice(0)) this.#write(socket, chunk);
  }

  #closed(socket: Socket<Side>): void {
    this.#open.delete(socket);
    // While bytes are dropped, the other side stays open, as with a dead router between them.
    if (!this.swallows) socket.data.other?.end();
  }
}
