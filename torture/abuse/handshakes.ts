/** Attacks on the TLS handshake, over bare connections. Each returns the violations that it has seen. */
import type { Attack } from './attacks.ts';
import { exchangeBare, inParallel, type Line, openBare, openTo } from './sockets.ts';

/** Seconds in which the server must have closed a handshake that is not complete: its limit is 15. */
const handshakeSeconds = 20;

/** The first message of a client, as the runtime sends it. */
async function clientHello(): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket, chunk) {
        resolve(Buffer.from(chunk));
        socket.terminate();
      },
    },
  });
  await openTo(`https://127.0.0.1:${listener.port}`).catch(() => {});
  const hello = await promise;
  listener.stop(true);
  return hello;
}

async function held(url: string, count: number): Promise<Line[]> {
  const lines: Line[] = [];
  await inParallel(count, 32, async () => {
    lines.push(await openBare(url));
  });
  return lines;
}

/** One byte of a handshake at a time. The full size waits until the server has closed all of them. */
export const slowHandshakes: Attack = async (url, size) => {
  const hello = await clientHello();
  const lines = await held(url, Math.ceil(size / 20));
  const rounds = size > 1000 ? handshakeSeconds * 5 : 5;
  for (let round = 0; round < rounds; round++) {
    for (const { socket, data } of lines) if (!data.closed) socket.write(hello.subarray(round, round + 1));
    await Bun.sleep(200);
  }
  const open = lines.filter(({ data }) => !data.closed).length;
  for (const { socket } of lines) socket.terminate();
  return size > 1000 && open > 0 ? [`${open} handshakes are open after ${handshakeSeconds} seconds`] : [];
};

/** A ClientHello, and nothing after the server's answer. */
export const halfHandshakes: Attack = async (url, size) => {
  const hello = await clientHello();
  const lines = await held(url, Math.ceil(size / 4));
  for (const { socket } of lines) socket.write(hello);
  await Bun.sleep(1000);
  const silent = lines.filter(({ data }) => data.received === '').length;
  for (const { socket } of lines) socket.terminate();
  return silent > 0 ? [`${silent} handshakes got no answer`] : [];
};

/** Handshakes that are completed, and connections that are left at once. */
export const abandonedHandshakes: Attack = async (url, size) => {
  await inParallel(size, 32, async () => {
    const { socket } = await openTo(url);
    socket.terminate();
  });
  return [];
};

/** Bytes that are not TLS are answered with an alert or not at all, and the connection is closed. */
export const garbage: Attack = async (url, size) => {
  const complaints: string[] = [];
  const hello = await clientHello();
  const plain = Buffer.from('GET /api/items HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await inParallel(size * 2, 32, async (n) => {
    const random = crypto.getRandomValues(new Uint8Array(1 + (n % 700)));
    const broken = Buffer.from(hello);
    broken[n % hello.length] = (broken[n % hello.length] ?? 0) ^ (1 + (n % 255));
    const [what, bytes] = [
      ['random bytes', random],
      ['a broken ClientHello', broken],
      ['a ClientHello and random bytes', Buffer.concat([hello, random])],
      ['plain HTTP', plain],
    ][n % 4] as [string, Uint8Array];
    const received = await exchangeBare(url, bytes).catch((error) => `${error}`);
    if (/HTTP\/1/.test(received)) complaints.push(`${what} got ${JSON.stringify(received.slice(0, 100))}`);
    if (what === 'plain HTTP' && received !== '') complaints.push(`${what} got ${JSON.stringify(received)}`);
  });
  return complaints;
};
