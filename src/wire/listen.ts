/** HTTP/1.1 on a port. */
import { Connection } from './connection.ts';
import type { Handlers, Load } from './handlers.ts';
import { ignoreConnects } from './last-call.ts';
import { headEnds } from './reply.ts';
import type { Shared } from './shared.ts';
import { Turns } from './turns.ts';

export type Address = {
  readonly hostname: string;
  readonly port: number;
  /** With other processes that say so too; the system spreads connections over them. */
  readonly sharePort: boolean;
};

export type Listening = {
  readonly port: number;
  /** From now on each answer ends its connection, so that clients move to another instance. */
  drain(): void;
  /** Accepts no connection, lets what is in flight finish within the time given or until `atOnce`, and cuts the rest. */
  stop(withinMs: number, atOnce?: AbortSignal): Promise<void>;
};

export type Bounds = {
  /** Beyond these a connection is an extra one, and beyond so many more it is closed at once. */
  readonly maxConnections: number;
  readonly extraConnections: number;
  /** In milliseconds: how long one request may take. */
  readonly requestTimeout: number;
  /** In milliseconds: how long a connection is kept for the next request. */
  readonly keepAlive: number;
  /** In milliseconds: how long a body may take to arrive, where it comes at a pace and so may take longer than that. */
  readonly bulkTimeout: number;
  /** Kept up to date from here. */
  readonly load: Load;
};

const scratchBytes = 128 * 1024;
/** For a handshake that has begun: more than a round trip to a proxy takes. */
const handshakeMs = 20;
/** Nothing has arrived when so many turns of the event loop in a row bring nothing; some of them do not poll. */
const quietTurns = 3;
/** Clients that never stop sending must not keep the server. */
const maxTurns = 100;

/** Throws what the system has against the address. */
export function listen({ hostname, port, sharePort }: Address, bounds: Bounds, handlers: Handlers): Listening {
  const { maxConnections, extraConnections, requestTimeout, bulkTimeout, load } = bounds;
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
    turns: new Turns(),
    scratch: Buffer.alloc(scratchBytes),
    headEnds: headEnds(keepAlive, new Date()),
  };
  let empty = () => {};
  /** Connections and packets so far. */
  let arrivals = 0;

  /** Answers the requests that are in the system's buffers, which closing would drop. */
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
    // A client that has sent its last request still waits for the answer.
    allowHalfOpen: true,
    socket: {
      open(socket: Bun.Socket<Connection>) {
        arrivals++;
        socket.setNoDelay(true);
        // Once for all of its requests; of one that is gone it cannot be asked any more.
        const peer = { address: socket.remoteAddress, extra: connections.size >= maxConnections };
        socket.data = new Connection(socket, shared, peer);
        connections.add(socket.data);
        load.connections = connections.size;
        if (connections.size > maxConnections + extraConnections) socket.terminate();
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
        if (connections.size === 0) empty();
      },
      error: ({ data }: Bun.Socket<Connection>, error: unknown) => data.broken(error),
    },
  } satisfies Bun.TCPSocketListenOptions<Connection> & { reusePort: boolean };
  const listener = Bun.listen<Connection>(options);

  const second = setInterval(() => {
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
      if (drained && ignoreConnects(descriptorOf(listener))) await Bun.sleep(handshakeMs);
      await readArrived();
      listener.stop();
      shared.stage = 'stopping';
      for (const connection of connections) connection.finish();
      if (connections.size > 0 && atOnce?.aborted !== true) {
        const { promise, resolve } = Promise.withResolvers<void>();
        empty = resolve;
        atOnce?.addEventListener('abort', () => resolve());
        const timer = setTimeout(resolve, withinMs);
        await promise;
        clearTimeout(timer);
      }
      for (const { socket } of connections) socket.terminate();
      clearInterval(second);
    },
  };
}

/** Bun has it, and its types do not. */
function descriptorOf(listener: object): number {
  return 'fd' in listener && typeof listener.fd === 'number' ? listener.fd : -1;
}
