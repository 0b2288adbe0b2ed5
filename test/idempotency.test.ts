/** An Idempotency-Key makes one record, across crashes and instances. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from './folder.ts';
import { newDatabase, postgresUrl } from './postgres/database.ts';
import { startShelf } from './process.ts';
import { startServer } from './server.ts';

const create = (url: string, key: string) =>
  fetch(`${url}/api/v2/items`, {
    method: 'POST',
    headers: { 'Idempotency-Key': key },
    body: `{"name":"${key}","price":1}`,
  });
const total = async (url: string, key: string) =>
  ((await (await fetch(`${url}/api/v2/items?name=${key}&count=exact`)).json()) as { total: number }).total;

test('a request that is retried after a crash during its commit makes one record', async () => {
  const args = ['--database', `sqlite:${join(temporaryFolder(), 'killed.db')}`, '--log', 'off'];
  let shelf = await startShelf({ args });
  for (let round = 0; round < 8; round++) {
    const key = `round-${round}`;
    const lost = create(shelf.url, key).catch(() => undefined);
    // The kill comes at a varying point, from before the request to after its answer.
    await Bun.sleep(round);
    await shelf.stop('SIGKILL');
    await lost;

    shelf = await startShelf({ args });
    expect((await create(shelf.url, key)).status).toBe(201);
    expect(await total(shelf.url, key)).toBe(1);
  }
  await shelf.stop();
}, 180_000);

test.skipIf(postgresUrl === undefined)('requests with the same key to two instances make one record', async () => {
  const database = await newDatabase();
  const [left, right] = [await startServer({ database }), await startServer({ database })];
  for (let round = 0; round < 20; round++) {
    const key = `both-${round}`;
    const answers = await Promise.all([create(left.url, key), create(right.url, key)]);
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(texts[0]).toBe(texts[1] ?? '');
    expect(await total(left.url, key)).toBe(1);
  }
  await left.stop();
  await right.stop();
});
