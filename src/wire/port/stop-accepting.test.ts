/** The packets that a port still accepts when it drops new connections. */
import { dlopen, FFIType } from 'bun:ffi';
import { expect, test } from 'bun:test';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dropNewConnections } from './stop-accepting.ts';

test.skipIf(process.platform !== 'linux')('an open connection stays open, and a new one is dropped', async () => {
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
  expect('fd' in listener && typeof listener.fd === 'number' && dropNewConnections(listener.fd)).toBe(true);

  const late = connect(listener.port, '127.0.0.1');
  const refused = once(late, 'connect').then(
    () => 'connected',
    ({ code }) => code,
  );
  early.write('echo');
  expect(String((await once(early, 'data'))[0])).toBe('echo');
  expect(opened).toBe(1);
  listener.stop(true);
  // The client's kernel retries after a second, when the port is closed.
  expect(await refused).toBe('ECONNREFUSED');
});

/** Sends the headers of TCP segments with these flags through the filter, as datagrams; returns the flags that arrive. */
function passed(flags: readonly number[]): number[] {
  const [unix, datagram, dontWait] = [1, 2, 0x40];
  const headerBytes = 20;
  const flagsAt = 13;
  const { i32, i64, ptr, u64 } = FFIType;
  // The C library that this process has loaded: glibc or musl.
  const library = /\S+\/(?:libc\.so\.6|ld-musl-\S+)/.exec(readFileSync('/proc/self/maps', 'utf8'))?.[0] ?? '';
  const libc = dlopen(library, {
    socketpair: { args: [i32, i32, i32, ptr], returns: i32 },
    send: { args: [i32, ptr, u64, i32], returns: i64 },
    recv: { args: [i32, ptr, u64, i32], returns: i64 },
    close: { args: [i32], returns: i32 },
  });
  const { socketpair, send, recv, close } = libc.symbols;
  const pair = new Int32Array(2);
  expect(socketpair(unix, datagram, 0, pair)).toBe(0);
  const [from = -1, to = -1] = pair;
  expect(dropNewConnections(to)).toBe(true);
  const arrived = flags.filter((flag) => {
    const header = Buffer.alloc(headerBytes);
    header[flagsAt] = flag;
    expect(Number(send(from, header, headerBytes, 0))).toBe(headerBytes);
    return Number(recv(to, header, headerBytes, dontWait)) === headerBytes;
  });
  close(from);
  close(to);
  libc.close();
  return arrived;
}

test.skipIf(process.platform !== 'linux')('a handshake in progress is completed, and a new one is dropped', () => {
  const [fin, syn, rst, push, ack] = [0x01, 0x02, 0x04, 0x08, 0x10];
  const taken = [ack, ack | push, ack | fin, ack | rst, rst, syn | ack];
  expect(passed([syn, ...taken, syn | push, syn])).toEqual(taken);
});

test('a descriptor that is not a socket is not filtered', () => {
  expect(dropNewConnections(-1)).toBe(false);
});
