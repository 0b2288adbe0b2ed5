/** Answers in pieces, in chunks, without a body, and cut off. */
import { afterEach, expect, test } from 'bun:test';
import { Connection } from './connection.ts';

let stop = () => {};
afterEach(() => stop());

/** Connects to a server that sends one reply per request, a byte at a time, and closes the connection after the last. */
async function connected(...replies: string[]): Promise<{ connection: Connection; requests: string[] }> {
  const requests: string[] = [];
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket, chunk) {
        requests.push(chunk.toString());
        const reply = replies.shift();
        if (reply === undefined) socket.terminate();
        else for (const byte of reply) socket.write(byte);
      },
    },
  });
  stop = () => server.stop(true);
  const connection = await Connection.to(server.port);
  if (connection === undefined) throw new Error('not connected');
  return { connection, requests };
}

test('consecutive answers are read completely', async () => {
  const { connection, requests } = await connected(
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: "1"\r\n\r\nfirst',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nsec\r\n3\r\nond\r\n0\r\n\r\n',
    'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n',
  );
  const get = { method: 'GET', path: '/' };
  const first = await connection.ask({ ...get, headers: { Accept: 'x' }, body: 'sent' });
  expect(first).toMatchObject({ status: 200, body: 'first' });
  expect(first?.headers.get('etag')).toBe('"1"');
  expect((await connection.ask(get))?.body).toBe('second');
  expect((await connection.ask(get))?.status).toBe(304);
  expect((await connection.ask({ ...get, method: 'HEAD' }))?.body).toBe('');
  expect(requests[0]).toBe('GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nAccept: x\r\n\r\nsent');
  expect(connection.open).toBe(true);
});

test('there is no answer if the connection ends first, and the request is sent once', async () => {
  const { connection, requests } = await connected('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345');
  expect((await connection.ask({ method: 'GET', path: '/' }))?.body).toBe('12345');
  expect(await connection.ask({ method: 'POST', path: '/' })).toBeUndefined();
  expect(requests).toHaveLength(2);
  expect(connection.open).toBe(false);
  expect(await connection.ask({ method: 'POST', path: '/' })).toBeUndefined();
});

test('there is no connection to a port without a listener', async () => {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  server.stop(true);
  expect(await Connection.to(server.port)).toBeUndefined();
});
