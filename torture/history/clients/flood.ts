/** Makes a collection large at once and small again, so that caches overflow and refill while it changes. */
import type { Client } from './client.ts';
import type { Draft } from './operation.ts';

/** Concurrent requests while the records are deleted. */
const concurrency = 4;

/** The pause after a bulk that was refused or lost. */
const retryMs = 300;

export type Floods = {
  readonly records: number;
  /** Milliseconds before the first flood, and between two, at most. */
  readonly firstMs: number;
  readonly pauseMs: number;
};

export async function flood(client: Client, { records, firstMs, pauseMs }: Floods): Promise<void> {
  const { shop, random } = client;
  let next = performance.now() + random.between(0, firstMs);
  while (!shop.stopped) {
    await Bun.sleep(50);
    if (performance.now() < next) continue;
    const flooded = await once(client, records);
    next = performance.now() + (flooded ? random.between(pauseMs / 2, pauseMs) : retryMs);
  }
  client.close();
}

/** False if the bulk was refused or lost. */
async function once(client: Client, records: number): Promise<boolean> {
  const { shop, random } = client;
  const drafts: Draft[] = Array.from({ length: records }, () => ({ name: shop.name(), price: 1 }));
  const sending = {
    method: 'POST',
    path: '/api/v2/items',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: drafts.map((draft) => JSON.stringify(draft)).join('\n'),
  };
  let first = 0;
  await client.ask(sending, { kind: 'create', collection: 'items', drafts }, ({ body }) => {
    const { created, first_id, last_id } = JSON.parse(body) as Readonly<Record<string, number>>;
    first = first_id ?? 0;
    return [`${created} from ${first_id} to ${last_id}`];
  });
  if (first === 0) return false;
  const left = random.shuffled(drafts.map((_, index) => first + index));
  const remove = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const gone = await client.ask(
        { method: 'DELETE', path: `/api/v2/items/${id}` },
        { kind: 'delete', collection: 'items', id },
        () => [],
      );
      if (gone.kind !== 'ok' && gone.kind !== 'missing') left.unshift(id);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, remove));
  return true;
}
