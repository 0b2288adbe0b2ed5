/** Many bare connections at once. */
import type { Socket } from 'bun';

type Held = { heard: string; closed: boolean; wake: () => void };
export type Line = { readonly socket: Socket<Held>; readonly data: Held };

export async function open(url: string, text = ''): Promise<Line> {
  const { hostname, port } = new URL(url);
  const data: Held = { heard: '', closed: false, wake: () => {} };
  const end = () => {
    data.closed = true;
    data.wake();
  };
  const socket = await Bun.connect<Held>({
    hostname,
    port: Number(port),
    data,
    socket: {
      data(_, chunk) {
        // What matters is how it begins.
        if (data.heard.length < 65_536) data.heard += chunk.toString('latin1');
        data.wake();
      },
      close: end,
      end: (one) => {
        one.end();
      },
      error: end,
    },
  });
  if (text !== '') socket.write(Buffer.from(text, 'latin1'));
  return { socket, data };
}

/** Sends this, and says that it was all; answers what is heard until the server hangs up. */
export async function exchange(url: string, bytes: Uint8Array, patienceMs = 5000): Promise<string> {
  const { socket, data } = await open(url);
  socket.write(bytes);
  socket.shutdown();
  const timer = setTimeout(() => socket.terminate(), patienceMs);
  while (!data.closed) await new Promise<void>((resolve) => (data.wake = resolve));
  clearTimeout(timer);
  return data.heard;
}

/** So many of them at a time. */
export async function inParallel(count: number, atOnce: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let n = next++; n < count; n = next++) await work(n);
    }),
  );
}

export function statusOf(heard: string): number {
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(heard)?.[1] ?? 0);
}
