/** HTTP/1.1 on ports and Unix sockets, which share their limits. */

import { headEnds } from './answer/reply.ts';
import { openSharedFiles } from './answer/shared-files.ts';
import { StreamTurns } from './answer/stream-turns.ts';
import { Connection } from './connection.ts';
import type { Handlers } from './handlers.ts';
import type { Load, Slot } from './load.ts';
import { type Address, ListeningSocket } from './port/listening-socket.ts';
import { sharePort } from './port/share-port.ts';
import { dropNewConnections } from './port/stop-accepting.ts';
import { clientName, handshakeReason, hasLeft, isProtocolError, type TlsFiles } from './port/tls.ts';
import type { Peer } from './request/incoming.ts';
import type { ServerState } from './server-state.ts';

/** Where clients connect. */
export type Endpoint = {
  readonly address: Address;
  /** Undefined for plain HTTP. */
  readonly tls?: TlsFiles | undefined;
  readonly handlers: Handlers;
};

export type Listening = {
  /** Of the first endpoint. */
  readonly port: number;
  /** Lets others listen on the first endpoint. Returns false if the system cannot. */
  share(): boolean;
  /** Connections that are opened from now on get this certificate. Throws if it cannot be used; then nothing changes. */
  renew(tls: TlsFiles): void;
  /** From now on each answer ends its connection, so that clients move to another instance. */
  drain(): void;
  /** Stops accepting, waits for requests in flight up to `withinMs` or until `atOnce`, then cuts the rest. */
  stop(withinMs: number, atOnce?: AbortSignal): Promise<void>;
};

export type ListenLimits = {
  /** Milliseconds that one request may take. */
  readonly requestTimeout: number;
  /** Milliseconds that an idle connection stays open for the next request. */
  readonly keepAlive: number;
  /** Milliseconds that a body may take to arrive. Above a minimum rate it may take longer than `requestTimeout`. */
  readonly bulkTimeout: number;
  /** Has the limits on connections, and is updated by the server. */
  readonly load: Load;
};

const scratchBytes = 128 * 1024;
/** Time for a handshake that has begun: more than a round trip to a proxy. */
const handshakeMs = 20;
/**
 * Input is drained after this many turns of the event loop without an arrival; one is not enough, because some do not
 * poll.
 */
const quietTurns = 3;
/** Clients that never stop sending must not delay the stop for longer. */
const maxTurns = 100;

/** The address of a client on a Unix socket, which is a process of this machine. */
const localAddress = '127.0.0.1';

/** Throws CannotListen. */
export function listen(endpoints: readonly Endpoint[], limits: ListenLimits): Listening {
  const { requestTimeout, bulkTimeout, load } = limits;
  const keepAliveSeconds = Math.ceil(limits.keepAlive / 1000);
  /** Each with its slot; undefined for one that is closed at once. */
  const connections = new Map<Connection, Slot | undefined>();
  const server: ServerState = {
    stage: 'serving',
    load,
    requestSeconds: Math.ceil(requestTimeout / 1000),
    keepAliveSeconds,
    bodySeconds: Math.ceil(Math.max(requestTimeout, bulkTimeout) / 1000),
    now: 0,
    turns: new StreamTurns(),
    scratch: Buffer.alloc(scratchBytes),
    files: openSharedFiles(),
    headEnds: headEnds(keepAliveSeconds, new Date()),
  };
  let onEmpty = () => {};
  /** Connections and packets received so far. */
  let arrivals = 0;

  /** Serves the requests in the kernel's buffers, which closing would drop. */
  async function readArrived(): Promise<void> {
    for (let [turns, quiet] = [0, 0]; turns < maxTurns && quiet < quietTurns; turns++) {
      const before = arrivals;
      await new Promise(setImmediate);
      quiet = arrivals === before ? quiet + 1 : 0;
    }
  }

  const eventsOf = ({ address, tls, handlers }: Endpoint): Bun.SocketHandler<Connection> => ({
    open(socket) {
      arrivals++;
      socket.setNoDelay(true);
      // Read once for all requests: a closed socket no longer has its address.
      const from = { address: socket.remoteAddress ?? localAddress, isUnix: !('port' in address) };
      const slot = load.enter(from);
      const peer: Peer = {
        ...from,
        overLimit: slot?.overLimit ?? true,
        isSecure: tls !== undefined,
        certificate: undefined,
      };
      socket.data = new Connection(socket, server, handlers, peer);
      connections.set(socket.data, slot);
      if (slot === undefined) socket.terminate();
    },
    data({ data }, chunk) {
      arrivals++;
      data.data(chunk as Buffer<ArrayBuffer>);
    },
    drain: ({ data }) => data.drain(),
    end: ({ data }) => data.end(),
    close({ data }) {
      connections.get(data)?.giveBack();
      connections.delete(data);
      data.close();
      if (connections.size === 0) onEmpty();
    },
    error(socket, error) {
      // A record that cannot be decrypted is the client's mistake, and not logged: a client could fill the log.
      if (isProtocolError(error)) socket.terminate();
      else socket.data.broken(error);
    },
    // Without it, `open` would come after the handshake, and a slow handshake would have no limit.
    ...(tls === undefined
      ? {}
      : {
          handshake(socket: Bun.Socket<Connection>, success: boolean, error: Error | null) {
            const { data } = socket;
            if (success && (tls.clientCa === undefined || socket.authorized)) {
              data.secured(tls.clientCa === undefined ? undefined : clientName(socket));
              return;
            }
            if (!hasLeft(error)) handlers.handshakeFailed(handshakeReason(error), data.peer);
            // Not terminate(), which would drop the alert that says why.
            socket.end();
          },
        }),
  });
  const sockets: ListeningSocket<Connection>[] = [];
  try {
    for (const endpoint of endpoints)
      sockets.push(new ListeningSocket(endpoint.address, endpoint.tls, eventsOf(endpoint)));
  } catch (error) {
    for (const socket of sockets) socket.stop();
    throw error;
  }

  const ticker = setInterval(() => {
    server.now++;
    server.headEnds = headEnds(keepAliveSeconds, new Date());
    for (const connection of connections.keys()) if (connection.deadline <= server.now) connection.expire();
  }, 1000);

  return {
    port: sockets[0]?.port ?? 0,
    share: () => sharePort(sockets[0]?.descriptor ?? -1),
    renew(tls) {
      for (const socket of sockets) if (socket.isSecure) socket.renew(tls);
    },
    drain() {
      server.stage = 'draining';
    },
    async stop(withinMs, atOnce) {
      const drained = server.stage === 'draining';
      server.stage = 'draining';
      const dropping = sockets.filter((socket) => drained && socket.isPort && dropNewConnections(socket.descriptor));
      if (dropping.length > 0) await Bun.sleep(handshakeMs);
      await readArrived();
      for (const socket of sockets) socket.stop();
      server.stage = 'stopping';
      for (const connection of connections.keys()) connection.finish();
      if (connections.size > 0 && atOnce?.aborted !== true) {
        const { promise, resolve } = Promise.withResolvers<void>();
        onEmpty = resolve;
        atOnce?.addEventListener('abort', () => resolve());
        const timer = setTimeout(resolve, withinMs);
        await promise;
        clearTimeout(timer);
      }
      for (const { socket } of connections.keys()) socket.terminate();
      server.files?.close();
      clearInterval(ticker);
    },
  };
}
