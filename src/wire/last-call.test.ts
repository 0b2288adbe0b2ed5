import { expect, test } from 'bun:test';
import { once } from 'node:events';
import { connect } from 'node:net';
import { ignoreConnects } from './last-call.ts';

test.skipIf(process.platform !== 'linux')('a connection that is open lives on, and a new one is ignored', async () => {
  let opened = 0;
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: () => {
        opened++;
      },
      data: (socket, chunk) => {
        socket.write(chunk);
      },
    },
  });
  const early = connect(listener.port, '127.0.0.1');
  await once(early, 'connect');
  expect('fd' in listener && typeof listener.fd === 'number' && ignoreConnects(listener.fd)).toBe(true);

  const late = connect(listener.port, '127.0.0.1');
  const refused = once(late, 'connect').then(
    () => 'connected',
    ({ code }) => code,
  );
  early.write('echo');
  expect(String((await once(early, 'data'))[0])).toBe('echo');
  expect(opened).toBe(1);
  listener.stop(true);
  // The client's kernel tries again after a second.
  expect(await refused).toBe('ECONNREFUSED');
});

test('what is not a socket is not filtered', () => {
  expect(ignoreConnects(-1)).toBe(false);
});
