/** Raw connections, many at a time. */
import type { Socket } from 'bun';

type Held = { received: string; closed: boolean; wake: () => void };
export type Line = { readonly socket: Socket<Held>; readonly data: Held };

/** The server makes its certificate for this run. */
const anyCertificate = { rejectUnauthorized: false };

/** Over TLS if the URL is https. */
export function ask(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, tls: anyCertificate });
}

/** A connection over TLS if the URL is https; then it resolves after the handshake. */
export function openTo(url: string): Promise<Line> {
  return connect(url, new URL(url).protocol === 'https:');
}

/** Without TLS, whatever the URL says. */
export function openBare(url: string): Promise<Line> {
  return connect(url, false);
}

export async function open(url: string, text = ''): Promise<Line> {
  const line = await openTo(url);
  if (text !== '') line.socket.write(Buffer.from(text, 'latin1'));
  return line;
}

async function connect(url: string, secure: boolean): Promise<Line> {
  const { hostname, port } = new URL(url);
  const data: Held = { received: '', closed: false, wake: () => {} };
  const end = () => {
    data.closed = true;
    data.wake();
  };
  const secured = Promise.withResolvers<void>();
  const socket = await Bun.connect<Held>({
    hostname,
    port: Number(port),
    ...(secure ? { tls: anyCertificate } : {}),
    data,
    socket: {
      data(_, chunk) {
        // Only the beginning is checked.
        if (data.received.length < 65_536) data.received += chunk.toString('latin1');
        data.wake();
      },
      // The promise of the connection resolves before.
      handshake: () => secured.resolve(),
      close() {
        end();
        secured.resolve();
      },
      end: (one) => {
        one.end();
      },
      error: end,
    },
  });
  if (secure) await secured.promise;
  return { socket, data };
}

/** Sends `bytes`, closes the sending side, and returns everything that arrives until the server closes the connection. */
export async function exchange(url: string, bytes: Uint8Array, patienceMs = 5000): Promise<string> {
  return sendAll(await openTo(url), bytes, patienceMs);
}

/** The same without TLS. */
export async function exchangeBare(url: string, bytes: Uint8Array, patienceMs = 5000): Promise<string> {
  return sendAll(await openBare(url), bytes, patienceMs);
}

async function sendAll({ socket, data }: Line, bytes: Uint8Array, patienceMs: number): Promise<string> {
  socket.write(bytes);
  socket.shutdown();
  const timer = setTimeout(() => socket.terminate(), patienceMs);
  while (!data.closed) await new Promise<void>((resolve) => (data.wake = resolve));
  clearTimeout(timer);
  return data.received;
}

/** Calls `work` with 0 to `count - 1`, `atOnce` at a time. */
export async function inParallel(count: number, atOnce: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let n = next++; n < count; n = next++) await work(n);
    }),
  );
}

export function statusOf(received: string): number {
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1] ?? 0);
}
