/** HTTP/1.1 on ports and Unix sockets, which share their limits. */
import { Connection } from './connection.ts';
import { type Door, OpenDoor } from './door.ts';
import type { Peer } from './incoming.ts';
import type { Load, Slot } from './load.ts';
import { headEnds } from './reply.ts';
import { sharePort } from './share-port.ts';
import type { Shared } from './shared.ts';
import { openSharedFiles } from './shared-files.ts';
import { dropNewConnections } from './stop-accepting.ts';
import { StreamTurns } from './stream-turns.ts';
import { clientName, handshakeReason, hasLeft, isProtocolError, type TlsFiles } from './tls.ts';

export type Listening = {
  /** Of the first door. */
  readonly port: number;
  /** Lets others listen on the first door. Returns false if the system cannot. */
  share(): boolean;
  /** Connections that are opened from now on get this certificate. Throws if it cannot be used; then nothing changes. */
  renew(tls: TlsFiles): void;
  /** From now on each answer ends its connection, so that clients move to another instance. */
  drain(): void;
  /** Stops accepting, waits for requests in flight up to `withinMs` or until `atOnce`, then cuts the rest. */
  stop(withinMs: number, atOnce?: AbortSignal): Promise<void>;
};

export type Bounds = {
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
export function listen(doors: readonly Door[], bounds: Bounds): Listening {
  const { requestTimeout, bulkTimeout, load } = bounds;
  const keepAlive = Math.ceil(bounds.keepAlive / 1000);
  /** Each with its slot; undefined for one that is closed at once. */
  const connections = new Map<Connection, Slot | undefined>();
  const shared: Shared = {
    stage: 'serving',
    load,
    patience: Math.ceil(requestTimeout / 1000),
    keepAlive,
    bodyPatience: Math.ceil(Math.max(requestTimeout, bulkTimeout) / 1000),
    now: 0,
    turns: new StreamTurns(),
    scratch: Buffer.alloc(scratchBytes),
    files: openSharedFiles(),
    headEnds: headEnds(keepAlive, new Date()),
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

  const eventsOf = ({ place, tls, handlers }: Door): Bun.SocketHandler<Connection> => ({
    open(socket) {
      arrivals++;
      socket.setNoDelay(true);
      // Read once for all requests: a closed socket no longer has its address.
      const from = { address: socket.remoteAddress ?? localAddress, isUnix: !('port' in place) };
      const slot = load.enter(from);
      const peer: Peer = {
        ...from,
        overLimit: slot?.overLimit ?? true,
        isSecure: tls !== undefined,
        certificate: undefined,
      };
      socket.data = new Connection(socket, shared, handlers, peer);
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
  const opened: OpenDoor[] = [];
  try {
    for (const door of doors) opened.push(new OpenDoor(door, eventsOf(door)));
  } catch (error) {
    for (const door of opened) door.stop();
    throw error;
  }

  const ticker = setInterval(() => {
    shared.now++;
    shared.headEnds = headEnds(keepAlive, new Date());
    for (const connection of connections.keys()) if (connection.deadline <= shared.now) connection.expire();
  }, 1000);

  return {
    port: opened[0]?.port ?? 0,
    share: () => sharePort(opened[0]?.descriptor ?? -1),
    renew(tls) {
      for (const door of opened) if (door.isSecure) door.renew(tls);
    },
    drain() {
      shared.stage = 'draining';
    },
    async stop(withinMs, atOnce) {
      const drained = shared.stage === 'draining';
      shared.stage = 'draining';
      const dropping = opened.filter((door) => drained && door.isPort && dropNewConnections(door.descriptor));
      if (dropping.length > 0) await Bun.sleep(handshakeMs);
      await readArrived();
      for (const door of opened) door.stop();
      shared.stage = 'stopping';
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
      shared.files?.close();
      clearInterval(ticker);
    },
  };
}
