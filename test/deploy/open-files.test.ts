/** The server never runs out of file descriptors, whatever clients keep open. */

import { beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { items } from '../../src/collections/items.ts';
import { collections } from '../../src/collections/registry.ts';
import { everybody } from '../../src/domain/store/writes.ts';
import { openEngine } from '../../src/storage/open.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { threads, withCache } from '../support/servers/engine.ts';
import { openFilesOf, command as shelfCommand, spoolsOf, startShelf } from '../support/servers/process.ts';

const folder = temporaryFolder();
const path = join(folder, 'long.db');

/** More than the socket buffers hold, so that a list stays open if its client does not read. */
beforeAll(async () => {
  const store = openEngine({ kind: 'sqlite', path }, collections, withCache(0));
  const name = 'x'.repeat(50_000);
  const added = Array.from({ length: 600 }, (_, n) =>
    store.writes.commit(everybody, {
      operation: { op: 'create', collection: items, json: items.encode({ id: BigInt(n), name, price: n }) },
    }),
  );
  await Promise.all(added);
  await store.admin.close();
});

/** A client that reads nothing until `answers` is called. */
async function open(url: string) {
  let heard = '';
  let wake = () => {};
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(new URL(url).port),
    socket: {
      open: (opened) => {
        opened.pause();
      },
      data(_, chunk) {
        heard += chunk;
        wake();
      },
    },
  });
  return {
    socket,
    /** Waits for `count` answers and returns all of them. */
    async answers(count: number): Promise<string[]> {
      socket.resume();
      while (heard.split('HTTP/1.1 ').length <= count) await new Promise<void>((resolve) => (wake = resolve));
      return heard.split('HTTP/1.1 ').slice(1);
    },
  };
}

const bulkHead =
  'POST /api/v2/items HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nContent-Length: 1000\r\n\r\n{"na';
const list = 'GET /api/items HTTP/1.1\r\nHost: localhost\r\n\r\n';

test.each([256, 1024, 4096])(
  'a server with at most %d open files still serves a connected client',
  async (limit) => {
    const command = ['sh', '-c', `ulimit -n ${limit}; exec "$0" "$@"`, ...shelfCommand];
    const shelf = await startShelf({ command, args: ['--database', `sqlite:${path}`, '--cache', '0', '--log', 'off'] });
    try {
      const kept = await open(shelf.url);
      const clients: { readonly socket: Bun.Socket }[] = [];
      // Each list and each bulk in progress uses files besides its connection.
      for (const [request, count] of [
        [bulkHead, limit / 8],
        [list, limit],
      ] as const) {
        for (let left = count; left > 0; left -= 50) {
          const some = await Promise.allSettled(Array.from({ length: Math.min(left, 50) }, () => open(shelf.url)));
          // Connections far over the limit are closed at once.
          const opened = some.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
          for (const { socket } of opened) socket.write(request);
          clients.push(...opened);
        }
      }
      const name = 'y'.repeat(200_000);
      const body = `{"id":77,"name":"${name}","price":1}`;
      kept.socket.write(`POST /api/items HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      expect((await kept.answers(1))[0]).toStartWith('201 ');
      kept.socket.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n');
      expect((await kept.answers(2))[1]).toStartWith('200 ');

      // Bulks and lists reach their limits, which are lower with several threads: each needs files of its own. A thread that does not
      // serve the kept client may still have requests to read, so this waits.
      const bulks = Math.min(limit / (Number(threads) > 2 ? 32 : 24), 170);
      const readers = () => openFilesOf(shelf.pid).filter(({ name }) => name === path).length;
      const reached = () => spoolsOf(shelf.pid).length > bulks && readers() > Math.min(limit / 40, 40);
      for (let asked = 3; !reached(); asked++) {
        kept.socket.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n');
        await kept.answers(asked);
      }
      expect(openFilesOf(shelf.pid).length).toBeLessThan(limit - 20);

      for (const { socket } of clients) socket.terminate();
      const status = async () => (await fetch(`${shelf.url}/api/items/77`)).status;
      while ((await status().catch(() => 0)) !== 200);
      kept.socket.terminate();
      expect(await shelf.stop()).toBe(0);
    } finally {
      await shelf.stop('SIGKILL');
    }
  },
  60_000,
);
