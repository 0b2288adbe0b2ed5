import { expect, test } from 'bun:test';
import { CommitQueue } from './commit-queue.ts';

/** A commit that waits to be let through, and remembers what it was given. */
function gate() {
  const batches: number[][] = [];
  const open: PromiseWithResolvers<void>[] = [];
  const queue = new CommitQueue<number, string>(async (writes) => {
    batches.push(writes);
    const held = Promise.withResolvers<void>();
    open.push(held);
    await held.promise;
    return writes.map((write) => `done ${write}`);
  });
  return { queue, batches, open };
}

test('a lone write waits for nobody', () => {
  const { queue, batches } = gate();
  queue.submit(1);
  expect(batches).toEqual([[1]]);
});

test('what arrives during a commit shares the next one, and is answered in order', async () => {
  const { queue, batches, open } = gate();
  const told: string[] = [];
  const all = [1, 2, 3, 4].map((write) => queue.submit(write).then((outcome) => told.push(outcome)));
  expect(batches).toEqual([[1]]);
  open[0]?.resolve();
  await all[0];
  expect(batches).toEqual([[1], [2, 3, 4]]);
  expect(told).toEqual(['done 1']);
  open[1]?.resolve();
  await queue.drain();
  await Promise.all(all);
  expect(told).toEqual(['done 1', 'done 2', 'done 3', 'done 4']);
});

test('a failed commit fails its batch and no other', async () => {
  const { queue, open } = gate();
  const first = queue.submit(1);
  const second = queue.submit(2);
  open[0]?.reject(new Error('disk full'));
  expect(first).rejects.toThrow('disk full');
  await first.catch(() => {});
  await Bun.sleep(0);
  open[1]?.resolve();
  expect(await second).toBe('done 2');
});

test('a batch is bounded', async () => {
  const { queue, batches, open } = gate();
  const all = Array.from({ length: 1200 }, (_, n) => queue.submit(n));
  for (let n = 0; n < 4; n++) {
    while (open[n] === undefined) await Bun.sleep(0);
    open[n]?.resolve();
  }
  await Promise.all(all);
  expect(batches.map(({ length }) => length)).toEqual([1, 512, 512, 175]);
});
