/** Serving threads that are real, without a server. */
import { afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { lineOf, startThreads } from '../../../test/support/threads/three-threads.ts';
import type { Ticket } from '../../domain/store/tickets.ts';

let stop = () => {};
afterEach(() => stop());

async function started() {
  const threads = await startThreads(new Writable({ write: (_chunk, _encoding, done) => done() }));
  stop = threads.stop;
  return threads;
}

test('a scrape of any thread covers all, each once', async () => {
  const { metrics, one, other } = await started();
  metrics.request('/api/items', 'GET', 200, 1);
  await one.answer(20, 1);
  await other.answer(300, 1);
  for (const text of await Promise.all([metrics.text(), one.scrape(), other.scrape()])) {
    expect(text).toContain('shelf_http_requests_total{route="/api/items",method="GET",status="200"} 321\n');
  }
});

test('a sample covers all threads, and any thread shows it', async () => {
  const { threads, hour, one, other } = await started();
  hour.request('/api/items', 'GET', 200, 5, 'a', '/api/items');
  await one.answer(20, 70);
  await other.answer(300, 3);
  for (const tally of await Promise.all(threads.map((thread) => thread.takeTally()))) hour.merge(tally);
  hour.sample('1', { memory_bytes: 1, connections: 2, listeners: 3, writes_waiting: 4 });
  const shown = await other.figures();
  expect(shown).toEqual({ since: 'then', samples: [...hour.samples] });
  expect(shown.samples).toMatchObject([{ requests: 321, slowest: { ms: 70 }, p99_ms: 70, writes_waiting: 8 }]);
});

test('a ticket that one thread has issued is redeemed by another one, once', async () => {
  const { one, other } = await started();
  const caller = { id: 'k', name: 'key', scope: 'read', collections: undefined } as const;
  const ticket: Ticket = { digest: 'd', caller, keyDigest: undefined };
  expect(await one.issue(ticket)).toBe(true);
  const redeemed = await Promise.all([other, one, other, one].map((thread) => thread.redeem('d')));
  expect(redeemed.filter((found) => found !== undefined)).toEqual([ticket]);
});

test('the lines of all threads come out whole through a pipe', async () => {
  const count = 1500;
  const script = join(import.meta.dir, '../../../test/support/threads/three-threads-log.ts');
  const { exited, stdout } = Bun.spawn([process.execPath, script, String(count)], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const lines = (await new Response(stdout).text()).split('\n').slice(0, -1);
  expect(await exited).toBe(0);
  const next = new Map<string, number>();
  const torn = lines.filter((line) => {
    const name = line.split(' ')[0] ?? '';
    const n = next.get(name) ?? 0;
    next.set(name, n + 1);
    return `${line}\n` !== lineOf(name, n);
  });
  expect(torn.map((line) => line.slice(0, 80))).toEqual([]);
  expect(Object.fromEntries(next)).toEqual({ main: count, one: count, other: count });
});
