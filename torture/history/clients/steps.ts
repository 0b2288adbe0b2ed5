/** The work of a client: random requests through every API, one after the other, until the run stops. */
import type { Client } from './client.ts';
import * as reads from './reads.ts';
import * as writes from './writes.ts';

/** A collection with more records is made smaller: lists cost the most to record and to check. */
const manyRecords = 40;

const collections = ['items', 'items', 'users'] as const;

export const runSteps = (client: Client) => repeat(client, step);

/** The work of a client that goes on while every commit waits. */
export const runReads = (client: Client) => repeat(client, read);

async function repeat(client: Client, work: (client: Client) => Promise<void>): Promise<void> {
  const { random, shop } = client;
  while (!shop.stopped) {
    await work(client);
    await Bun.sleep(random.between(0, shop.pauseMs));
  }
  client.close();
}

async function read(client: Client): Promise<void> {
  const { random } = client;
  await random.pick([reads.list, reads.pages, reads.record, reads.first])(client, random.pick(collections));
}

async function step(client: Client): Promise<void> {
  const { random, shop } = client;
  const collection = random.pick(collections);
  const many = shop.size[collection] > manyRecords;
  await random.weighted<(client: Client, of: typeof collection) => Promise<void>>([
    [many ? 2 : 8, writes.createPlain],
    [many ? 2 : 5, writes.create],
    [many ? 2 : 7, writes.createKeyed],
    [many ? 0 : 2, writes.createBulk],
    [14, writes.update],
    [many ? 16 : 6, writes.discard],
    [many ? 8 : 3, writes.remove],
    [8, reads.first],
    [8, reads.record],
    [3, reads.head],
    [4, reads.everyDoor],
    [6, reads.list],
    [6, reads.pages],
    [2, reads.search],
    [2, reads.exported],
    [5, reads.feed],
  ])(client, collection);
}
