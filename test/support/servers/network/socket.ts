/** A bare connection to a server under test. */
import { connect, type Socket } from 'node:net';

/** Any address of loopback can be that of the client, as in 127.0.0.2. With the path of a Unix socket, the client is there. */
export function connectTo(url: string, from?: string): Socket {
  if (from?.startsWith('/')) return connect(from);
  const port = Number(new URL(url).port);
  return connect({ port, host: '127.0.0.1', ...(from === undefined ? {} : { localAddress: from }) });
}

export type RawClient = {
  readonly socket: Socket;
  /** The text that was received so far. */
  received(): string;
  /** Resolves when the received text matches, or the connection is closed. */
  until(expected: RegExp): Promise<void>;
  /** Resolves with the received text when the connection is closed. */
  readonly closed: Promise<string>;
};

/** Sends the text, and collects the received text. */
export function openRaw(url: string, text: string, from?: string): RawClient {
  const socket = connectTo(url, from);
  let received = '';
  let wake = () => {};
  let isClosed = false;
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    wake();
  });
  // A reset counts as a normal end of the connection.
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) =>
    socket.on('close', () => {
      isClosed = true;
      wake();
      resolve(received);
    }),
  );
  socket.write(text);
  return {
    socket,
    received: () => received,
    async until(expected) {
      while (!expected.test(received) && !isClosed) await new Promise<void>((resolve) => (wake = resolve));
    },
    closed,
  };
}
