/** HTTP/1.1 on a port. */
import { Connection, type Handlers, type Shared } from './connection.ts';

export type Address = {
  readonly hostname: string;
  readonly port: number;
  /** With other processes that say so too; the system spreads connections over them. */
  readonly sharePort: boolean;
};

export type Listening = {
  readonly port: number;
  /** Takes nothing new, lets what is under way finish within the time given, and cuts the rest. */
  stop(withinMs: number): Promise<void>;
};

const scratchBytes = 128 * 1024;

/** Throws what the system has against the address. */
export function listen({ hostname, port, sharePort }: Address, handlers: Handlers): Listening {
  const connections = new Set<Connection>();
  const shared: Shared = { handlers, now: 0, scratch: Buffer.alloc(scratchBytes), date: clock() };
  let empty = () => {};

  const options = {
    hostname,
    port,
    reusePort: sharePort,
    // A client that has sent its last request still waits for the answer.
    allowHalfOpen: true,
    socket: {
      open(socket: Bun.Socket<Connection>) {
        socket.setNoDelay(true);
        socket.data = new Connection(socket, shared);
        connections.add(socket.data);
      },
      data: ({ data }: Bun.Socket<Connection>, chunk: Buffer) => data.data(chunk as Buffer<ArrayBuffer>),
      drain: ({ data }: Bun.Socket<Connection>) => data.drain(),
      end: ({ data }: Bun.Socket<Connection>) => data.end(),
      close({ data }: Bun.Socket<Connection>) {
        connections.delete(data);
        data.close();
        if (connections.size === 0) empty();
      },
      error: ({ data }: Bun.Socket<Connection>, error: unknown) => data.broken(error),
    },
  } satisfies Bun.TCPSocketListenOptions<Connection> & { reusePort: boolean };
  const listener = Bun.listen<Connection>(options);

  const second = setInterval(() => {
    shared.now++;
    for (const connection of connections) if (connection.deadline <= shared.now) connection.expire();
  }, 1000);

  return {
    port: listener.port,
    async stop(withinMs) {
      listener.stop();
      for (const connection of connections) connection.finish();
      if (connections.size > 0) {
        await Promise.race([new Promise<void>((resolve) => (empty = resolve)), Bun.sleep(withinMs)]);
      }
      for (const { socket } of connections) socket.terminate();
      clearInterval(second);
    },
  };
}

/** The Date header changes once a second, and is written as often. */
function clock(): () => string {
  let second = 0;
  let text = '';
  return () => {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      second = now;
      text = new Date(now * 1000).toUTCString();
    }
    return text;
  };
}
