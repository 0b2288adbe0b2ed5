/** HTTP/1.1 on a port. */
import { Connection } from './connection.ts';
import type { Handlers, Load } from './handlers.ts';
import { headEnds } from './reply.ts';
import type { Shared } from './shared.ts';
import { dropNewConnections } from './stop-accepting.ts';
import { StreamTurns } from './stream-turns.ts';

export type Address = {
  readonly hostname: string;
  readonly port: number;
  /** Shared with other processes that set it, too; the kernel spreads connections over them. */
  readonly sharePort: boolean;
};

export type Listening = {
  readonly port: number;
  /** From now on each answer ends its connection, so that clients move to another instance. */
  drain(): void;
  /** Stops accepting, waits for requests in flight up to `withinMs` or until `atOnce`, then cuts the rest. */
  stop(withinMs: number, atOnce?: AbortSignal): Promise<void>;
};

export type Bounds = {
  /** A connection beyond these is over the limit: `Peer.extra`. */
  readonly maxConnections: number;
  /** Connections over the limit; any more are closed at once. */
  readonly overLimitConnections: number;
  /** Milliseconds that one request may take. */
  readonly requestTimeout: number;
  /** Milliseconds that an idle connection stays open for the next request. */
  readonly keepAlive: number;
  /** Milliseconds that a body may take to arrive. Above a minimum rate it may take longer than `requestTimeout`. */
  readonly bulkTimeout: number;
  /** Updated by the server. */
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

/** Throws the system's error if it cannot listen on the address. */
export function listen({ hostname, port, sharePort }: Address, bounds: Bounds, handlers: Handlers): Listening {
  const { maxConnections, overLimitConnections, requestTimeout, bulkTimeout, load } = bounds;
  const keepAlive = Math.ceil(bounds.keepAlive / 1000);
  const connections = new Set<Connection>();
  const shared: Shared = {
    stage: 'serving',
    handlers,
    load,
    patience: Math.ceil(requestTimeout / 1000),
    keepAlive,
    bodyPatience: Math.ceil(Math.max(requestTimeout, bulkTimeout) / 1000),
    now: 0,
    turns: new StreamTurns(),
    scratch: Buffer.alloc(scratchBytes),
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

  const options = {
    hostname,
    port,
    reusePort: sharePort,
    // A client may close its side after its last request, and still wait for the answer.
    allowHalfOpen: true,
    socket: {
      open(socket: Bun.Socket<Connection>) {
        arrivals++;
        socket.setNoDelay(true);
        // Read once for all requests: a closed socket no longer has its address.
        const peer = { address: socket.remoteAddress, overLimit: connections.size >= maxConnections };
        socket.data = new Connection(socket, shared, peer);
        connections.add(socket.data);
        load.connections = connections.size;
        if (connections.size > maxConnections + overLimitConnections) socket.terminate();
      },
      data({ data }: Bun.Socket<Connection>, chunk: Buffer) {
        arrivals++;
        data.data(chunk as Buffer<ArrayBuffer>);
      },
      drain: ({ data }: Bun.Socket<Connection>) => data.drain(),
      end: ({ data }: Bun.Socket<Connection>) => data.end(),
      close({ data }: Bun.Socket<Connection>) {
        connections.delete(data);
        load.connections = connections.size;
        data.close();
        if (connections.size === 0) onEmpty();
      },
      error: ({ data }: Bun.Socket<Connection>, error: unknown) => data.broken(error),
    },
  } satisfies Bun.TCPSocketListenOptions<Connection> & { reusePort: boolean };
  const listener = Bun.listen<Connection>(options);

  const ticker = setInterval(() => {
    shared.now++;
    shared.headEnds = headEnds(keepAlive, new Date());
    for (const connection of connections) if (connection.deadline <= shared.now) connection.expire();
  }, 1000);

  return {
    port: listener.port,
    drain() {
      shared.stage = 'draining';
    },
    async stop(withinMs, atOnce) {
      const drained = shared.stage === 'draining';
      shared.stage = 'draining';
      if (drained && dropNewConnections(descriptorOf(listener))) await Bun.sleep(handshakeMs);
      await readArrived();
      listener.stop();
      shared.stage = 'stopping';
      for (const connection of connections) connection.finish();
      if (connections.size > 0 && atOnce?.aborted !== true) {
        const { promise, resolve } = Promise.withResolvers<void>();
        onEmpty = resolve;
        atOnce?.addEventListener('abort', () => resolve());
        const timer = setTimeout(resolve, withinMs);
        await promise;
        clearTimeout(timer);
      }
      for (const { socket } of connections) socket.terminate();
      clearInterval(ticker);
    },
  };
}

/** Bun's listener has `fd`, but its type does not. */
function descriptorOf(listener: object): number {
  return 'fd' in listener && typeof listener.fd === 'number' ? listener.fd : -1;
}
