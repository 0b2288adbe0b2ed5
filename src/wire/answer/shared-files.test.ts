import { expect, test } from 'bun:test';
import { readdirSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Bytes } from '../../domain/bytes.ts';
import { Outbox } from './outbox.ts';
import { openSharedFiles } from './shared-files.ts';

const onLinux = test.skipIf(process.platform !== 'linux');

/** Serves each connection the next of `answers` through an outbox, this many times. */
function serve(answers: readonly (readonly [head: string, content: Bytes])[], times = 1) {
  const files = openSharedFiles();
  /** Bytes that the kernel took from files, by answer. */
  const fromFiles: number[] = [];
  let next = 0;
  const listener = Bun.listen<Outbox>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        const send = (...given: Parameters<NonNullable<typeof files>['send']>) => {
          const accepted = files?.send(...given) ?? 0;
          fromFiles.push(accepted);
          return accepted;
        };
        socket.data = new Outbox(socket, Buffer.alloc(1024), () => {}, files && ({ send } as typeof files));
        const [head, content] = answers[next++] ?? ['', Buffer.alloc(0)];
        for (let n = 0; n < times; n++) socket.data.writeBoth(head, content, true);
        socket.data.whenEmpty(() => socket.end());
      },
      data() {},
      drain: ({ data }) => void data.drain(),
    },
  });
  return { port: listener.port, fromFiles, opened: () => next, stop: () => [listener.stop(true), files?.close()] };
}

/** Of this process. */
function openFiles(): number {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return links.filter((link) => link.startsWith('/memfd:shelf')).length;
}

const contentOf = (size: number, seed: number) => Buffer.alloc(size, `${seed} and ${size} `);

onLinux('every client gets the same bytes, however slowly it reads', async () => {
  const content = contentOf(256 * 1024, 1);
  const answers = Array.from({ length: 4 }, (_, n) => [`<head ${n}>`, content] as const);
  // More than a socket holds.
  const times = 64;
  const server = serve(answers, times);
  const clients = answers.map(() => connect(server.port, '127.0.0.1').pause());
  while (server.opened() < answers.length) await Bun.sleep(1);
  // The sockets are full before the first client reads.
  const received = await Promise.all(clients.map((client) => buffer(client.resume())));
  const expected = answers.map(([head]) =>
    Buffer.concat(
      Array(times)
        .fill([Buffer.from(head), content])
        .flat(),
    ),
  );
  received.sort(Buffer.compare);
  for (const [n, bytes] of received.entries()) expect(bytes.equals(expected[n] ?? bytes.subarray(1))).toBe(true);
  // The first is written as any other, and of some there was room for a part.
  const size = 8 + content.length;
  expect(server.fromFiles[0]).toBe(0);
  expect(server.fromFiles.some((accepted) => accepted === size)).toBe(true);
  expect(server.fromFiles.some((accepted) => accepted > 0 && accepted < size)).toBe(true);
  server.stop();
});

onLinux('short content, a long head and a closed socket are left to the runtime', () => {
  const files = openSharedFiles();
  const content = contentOf(40_000, 2);
  files?.send({ fd: -1 }, '', content);
  expect(files?.send({ fd: -1 }, '', content)).toBe(0);
  expect(files?.send({}, '', content)).toBe(0);
  expect(files?.send({ fd: 0 }, 'h'.repeat(10_000), content)).toBe(0);
  const short = contentOf(1000, 3);
  files?.send({ fd: 0 }, '', short);
  expect(files?.send({ fd: 0 }, '', short)).toBe(0);
});

onLinux('few files are open, those of the content that was sent last', async () => {
  const before = openFiles();
  // Each file is sent from its start, also after one of another length.
  const contents = Array.from({ length: 30 }, (_, n) => contentOf(40_000 + 500 * n, n));
  const answers = contents.flatMap((content) => [['<one>', content] as const, ['<two>', content] as const]);
  const server = serve(answers);
  for (const [head, content] of answers) {
    const received = await buffer(connect(server.port, '127.0.0.1'));
    expect(received.equals(Buffer.concat([Buffer.from(head), content]))).toBe(true);
  }
  expect(server.fromFiles.filter((accepted) => accepted > 0)).toEqual(contents.map(({ length }) => 5 + length));
  expect(openFiles() - before).toBe(8);
  server.stop();
  expect(openFiles()).toBe(before);
});

onLinux('a client that has left does not end the process', async () => {
  const content = contentOf(256 * 1024, 4);
  const answers = Array.from({ length: 20 }, () => ['<head>', content] as const);
  const server = serve(answers);
  for (const _ of answers) {
    const client = connect(server.port, '127.0.0.1');
    await new Promise((resolve) => client.once('connect', resolve));
    client.resetAndDestroy();
  }
  while (server.fromFiles.length < answers.length) await Bun.sleep(1);
  server.stop();
});
