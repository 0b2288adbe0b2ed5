/** A certificate that is replaced while clients connect. */
import { expect, test } from 'bun:test';
import { connect, type TLSSocket } from 'node:tls';
import { Authority } from '../../../test/support/servers/network/certificate.ts';
import type { Handlers } from '../handlers.ts';
import { listen } from '../listen.ts';
import { Load } from '../load.ts';

const hourMs = 3_600_000;
const replacements = 30;
const authority = new Authority('Shelf Test');
const issue = () => ({ ...authority.issue({ name: 'localhost', hosts: ['localhost'] }), clientCa: undefined });

const handlers: Handlers = {
  answer: () => ({ status: 200, headers: {}, body: '<answer>', size: 8 }),
  refuse: ({ detail }) => ({ status: 400, headers: {}, body: detail, size: detail.length }),
  handshakeFailed() {},
  report(error) {
    throw error;
  },
};

/** Opens a connection, sends a request on it, and returns the serial number of the certificate. */
function serialSeen(port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket: TLSSocket = connect({ host: '127.0.0.1', port, ca: authority.cert, servername: 'localhost' }, () =>
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
  );
  socket.on('data', (chunk) => {
    if (String(chunk).endsWith('<answer>')) resolve(socket.getPeerCertificate().serialNumber);
    else reject(new Error(`the answer is ${chunk}`));
    socket.end();
  });
  socket.on('error', reject).on('close', () => reject(new Error('the connection ended without an answer')));
  return promise;
}

test('no connection is lost while the certificate is replaced again and again', async () => {
  const server = listen([{ address: { hostname: '127.0.0.1', port: 0, sharePort: false }, tls: issue(), handlers }], {
    requestTimeout: hourMs,
    keepAlive: hourMs,
    bulkTimeout: hourMs,
    load: new Load({
      maxConnections: 100,
      overLimitConnections: 10,
      maxHeld: 2 ** 20,
      connectionClient: () => 'client',
      requestClient: () => 'client',
    }),
  });
  const serials = new Set<string>();
  let served = 0;
  let stop = false;
  const clients = Array.from({ length: 8 }, async () => {
    for (; !stop; served++) serials.add(await serialSeen(server.port));
  });
  const failed = Promise.all(clients).then(() => {});
  for (let n = 0; n < replacements; n++) {
    server.renew(issue());
    const enough = served + 16;
    while (served < enough) await Promise.race([new Promise(setImmediate), failed]);
  }
  stop = true;
  await failed;
  // Each certificate was used by connections.
  expect(serials.size).toBeGreaterThan(replacements * 0.9);
  expect(() => server.renew({ ...issue(), key: issue().key })).toThrow();
  expect(await serialSeen(server.port)).toBeString();
  await server.stop(0);
  expect(() => server.renew(issue())).toThrow('this system cannot replace the certificate of an open port');
});
