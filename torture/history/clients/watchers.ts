/** Followers of the feed during a whole run: live, live for one collection, and by polling. */
import { Follower } from '../../support/follower.ts';
import { type ChangeBody, digestOf } from '../check/change.ts';
import type { Delivery } from '../check/deliveries.ts';
import type { Client } from './client.ts';
import type { CollectionName } from './operation.ts';
import { firstWith, pull } from './reads.ts';
import type { Shop } from './shop.ts';

const pullPauseMs = 40;

export type Watcher = {
  readonly delivery: Delivery;
  /** The sequence number of the last change received. */
  last(): number;
  stop(): void;
};

/** Reconnects to any server with the last number received; `chaser` reads a changed record as soon as its event arrives. */
export function follow(name: string, shop: Shop, chaser: Client, of?: CollectionName): Watcher {
  const received: string[] = [];
  const url = () => `http://127.0.0.1:${chaser.random.pick(shop.ports())}`;
  let chasing = false;
  async function chase(change: ChangeBody): Promise<void> {
    if (chasing || shop.stopped) return;
    chasing = true;
    const collection = change.type.startsWith('item.') ? 'items' : 'users';
    await firstWith(chaser, collection, change.record.external_id);
    chasing = false;
  }
  const follower = new Follower(
    0,
    url,
    (events) => {
      const now = performance.now();
      const changes = events.map((event) => JSON.parse(event) as ChangeBody);
      received.push(...changes.map(digestOf));
      // Events that arrive together are one observation.
      const seen = { door: 'GET /api/v2/events', invoked: now, answered: now, sent: true, reply };
      shop.recorder.add(name, seen, { kind: 'event', changeNumber: follower.last }, () => []);
      const last = changes.at(-1);
      if (last !== undefined) chase(last);
    },
    of === undefined ? '' : `?collection=${of}`,
  );
  follower.connect();
  return {
    get delivery() {
      const resyncs = follower.complaint?.includes('resync') ? 1 : 0;
      return { follower: name, after: 0, received, resyncs, ...(of === undefined ? {} : { collection: of }) };
    },
    last: () => follower.last,
    stop: () => {
      follower.stop();
      chaser.close();
    },
  };
}

const reply = { status: 200, headers: new Map<string, string>(), body: '' };

export function pulling(client: Client): Watcher {
  const received: string[] = [];
  let last = 0;
  let stopped = false;
  (async () => {
    while (!stopped) {
      const found = await pull(client, last, 100);
      for (const change of found?.data ?? []) received.push(digestOf(change));
      last = found?.last ?? last;
      await Bun.sleep(pullPauseMs);
    }
    client.close();
  })();
  return {
    delivery: { follower: client.name, after: 0, received, resyncs: 0 },
    last: () => last,
    stop: () => {
      stopped = true;
    },
  };
}
