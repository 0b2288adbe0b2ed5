/** After all clients have stopped, reads every record through every API of every server. Checked like all other answers. */
import type { Client } from './client.ts';
import { type Page, pageTexts } from './reads.ts';
import { collections } from './shop.ts';

const readyMs = 60_000;

export async function lastLook(client: Client, ports: () => readonly number[]): Promise<void> {
  await untilReady(client, ports);
  for (const port of ports()) {
    for (const collection of collections) {
      const contract = await client.exchange({ method: 'GET', path: `/api/${collection}` }, port);
      client.record(contract, { kind: 'list', collection }, ({ body }) =>
        (JSON.parse(body) as unknown[]).map((record) => JSON.stringify(record)),
      );
      const path = `/api/v2/${collection}?limit=1000&count=exact`;
      const page = await client.exchange({ method: 'GET', path }, port);
      let found: Page = { data: [], next_cursor: null };
      client.record(page, { kind: 'page', collection, limit: 1000 }, ({ body }) => {
        found = JSON.parse(body) as Page;
        return pageTexts(found);
      });
      client.record(page, { kind: 'total', collection }, () => [String(found.total)]);
      for (const { id, external_id: external } of found.data) {
        const one = await client.exchange({ method: 'GET', path: `/api/v2/${collection}/${id}` }, port);
        client.record(one, { kind: 'record', collection, id }, parsed);
        const first = await client.exchange({ method: 'GET', path: `/api/${collection}/${external}` }, port);
        client.record(first, { kind: 'first', collection, external }, parsed);
      }
    }
  }
}

const parsed = ({ body }: { readonly body: string }) => [JSON.stringify(JSON.parse(body))];

async function untilReady(client: Client, ports: () => readonly number[]): Promise<void> {
  const deadline = performance.now() + readyMs;
  for (const port of ports()) {
    while ((await client.exchange({ method: 'GET', path: '/readyz' }, port)).reply?.status !== 200) {
      if (performance.now() > deadline) throw new Error(`the servers are not ready after ${readyMs} ms`);
      await Bun.sleep(50);
    }
  }
}
