/** An import through a server that answers in other ways. */
import { afterAll, expect, test } from 'bun:test';
import { items } from '../../collections/items.ts';
import { openServer } from './server-target.ts';
import { Unreachable } from './target.ts';

const redirects = [301, 302, 303, 307, 308];
const sent: string[] = [];
const elsewhere = Bun.serve({
  port: 0,
  fetch(request) {
    sent.push(`${request.method} ${request.headers.get('authorization')}`);
    return Response.json({ collections: [{ name: 'items', declaration: items.declaration }] });
  },
});
let status = 200;
const server = Bun.serve({
  port: 0,
  fetch(request) {
    const { pathname } = new URL(request.url);
    if (status === 200 && pathname === '/api/v2')
      return Response.json({ collections: [{ name: 'items', declaration: items.declaration }] });
    return new Response(null, { status, headers: { Location: `${elsewhere.url}${pathname.slice(1)}` } });
  },
});
afterAll(() => Promise.all([server.stop(true), elsewhere.stop(true)]));

test('neither the key nor the records follow a redirect', async () => {
  const url = String(server.url);
  status = 200;
  const target = await openServer(url, 'items', 'secret');
  for (const one of redirects) {
    status = one;
    await expect(openServer(url, 'items', 'secret')).rejects.toThrow(`answered ${one}): check --url.`);
    for (const isLarge of [false, true]) {
      const bulk = await target.bulk(isLarge);
      await bulk.add(['{"name":"x","price":1}']);
      const batches = [{ key: 'a'.repeat(64), records: 1 }];
      await expect(bulk.commit(batches, false)).rejects.toThrow(Unreachable);
      await bulk.close();
    }
  }
  expect(sent).toEqual([]);
});
