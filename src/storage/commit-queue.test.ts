import { expect, test } from 'bun:test';
import { Failure } from '../domain/errors.ts';
import { CommitQueue } from './commit-queue.ts';

/** A queue whose nth commit waits for `open[n]`; `batches` has the writes of each commit. Waits for no further writes if one is enough. */
function gate(weigh = (_: number) => 1, enough = 1) {
  const batches: number[][] = [];
  const open: PromiseWithResolvers<void>[] = [];
  const queue = new CommitQueue<number, string>(
    async (writes) => {
      batches.push(writes);
      const held = Promise.withResolvers<void>();
      open.push(held);
      await held.promise;
      return writes.map((write) => `done ${write}`);
    },
    weigh,
    undefined,
    { enough, ms: 60_000 },
  );
  return { queue, batches, open };
}

/** One turn of the event loop. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a lone write shares its batch only with writes that were already submitted', async () => {
  const { queue, batches } = gate();
  queue.submit(1);
  queue.submit(2);
  await turn();
  queue.submit(3);
  expect(batches).toEqual([[1, 2]]);
});

test('a commit waits while further writes arrive, until there are enough', async () => {
  const { queue, batches } = gate(undefined, 6);
  queue.submit(1);
  queue.submit(2);
  for (let write = 3; batches.length === 0 && write < 20; write++) {
    queue.submit(write);
    await turn();
  }
  expect(batches[0]?.length).toBeGreaterThanOrEqual(6);
  expect(batches[0]?.length).toBeLessThan(10);
});

test('a commit does not wait for writes that do not arrive', async () => {
  const { queue, batches } = gate(undefined, 6);
  queue.submit(1);
  queue.submit(2);
  while (batches.length === 0) await turn();
  expect(batches).toEqual([[1, 2]]);
});

test('a lone write does not wait, however many are enough', async () => {
  const { queue, batches } = gate(undefined, 6);
  queue.submit(1);
  await turn();
  expect(batches).toEqual([[1]]);
});

test('writes that arrive during a commit share the next one, and are answered in order', async () => {
  const { queue, batches, open } = gate();
  const answered: string[] = [];
  const submit = (write: number) => queue.submit(write).then((outcome) => answered.push(outcome));
  const all = [submit(1)];
  await turn();
  all.push(...[2, 3, 4].map(submit));
  expect(batches).toEqual([[1]]);
  open[0]?.resolve();
  await all[0];
  await turn();
  expect(batches).toEqual([[1], [2, 3, 4]]);
  expect(answered).toEqual(['done 1']);
  open[1]?.resolve();
  await queue.end();
  await Promise.all(all);
  expect(answered).toEqual(['done 1', 'done 2', 'done 3', 'done 4']);
});

test('a failed commit fails its batch and no other', async () => {
  const { queue, open } = gate();
  const first = queue.submit(1);
  await turn();
  const second = queue.submit(2);
  open[0]?.reject(new Error('disk full'));
  expect(first).rejects.toThrow('disk full');
  await first.catch(() => {});
  await turn();
  open[1]?.resolve();
  expect(await second).toBe('done 2');
});

test('a batch is bounded', async () => {
  const { queue, batches, open } = gate();
  const all = Array.from({ length: 1200 }, (_, n) => queue.submit(n));
  for (let n = 0; n < 3; n++) {
    while (open[n] === undefined) await Bun.sleep(0);
    open[n]?.resolve();
  }
  await Promise.all(all);
  expect(batches.map(({ length }) => length)).toEqual([512, 512, 176]);
});

test('a batch is bounded by its weight too, and a write over the limit is committed alone', async () => {
  const { queue, batches, open } = gate((write) => write * 128 * 1024);
  const all = [5, 2, 2, 100, 1].map((write) => queue.submit(write));
  for (let n = 0; n < 4; n++) {
    while (open[n] === undefined) await turn();
    open[n]?.resolve();
  }
  await Promise.all(all);
  expect(batches).toEqual([[5, 2], [2], [100], [1]]);
});

test('batches of light and of heavy writes take turns', async () => {
  const { queue, batches, open } = gate((write) => (write < 0 ? 1024 * 1024 : 1));
  const all = [-1, -2, -3, 1, 2].map((write) => queue.submit(write));
  for (let n = 0; n < 5; n++) {
    while (open[n] === undefined) await turn();
    if (n < 2) all.push(queue.submit(n + 3));
    open[n]?.resolve();
  }
  await Promise.all(all);
  expect(batches).toEqual([[1, 2], [-1], [3, 4], [-2], [-3]]);
});

test('a write is refused at once when the queue is full, and after the end', async () => {
  const { queue, open } = gate();
  const first = queue.submit(0);
  await turn();
  const waiting = Array.from({ length: 10_000 }, (_, n) => queue.submit(n));
  expect(queue.submit(1)).rejects.toMatchObject({ code: 'overloaded' });
  const ended = queue.end();
  expect(queue.submit(1)).rejects.toMatchObject({ code: 'overloaded' });
  for (let n = 0; n < 21; n++) {
    while (open[n] === undefined) await turn();
    open[n]?.resolve();
  }
  await Promise.all([first, ...waiting, ended]);
});

test('the observer is called for every commit, with whether it was stored', async () => {
  const observed: [number, boolean][] = [];
  const onCommit = (writes: number, ms: number, stored: boolean) => {
    expect(ms).toBeGreaterThanOrEqual(0);
    observed.push([writes, stored]);
  };
  const failure = new Failure('outcome_unknown');
  const queue = new CommitQueue<string, string>(
    async (writes) => {
      if (writes.includes('break')) throw new Error('broken');
      return writes.map((write) => (write === 'failed' ? failure : write));
    },
    () => 1,
    onCommit,
  );
  await Promise.all([queue.submit('a'), queue.submit('b')]);
  await queue.submit('break').catch(() => {});
  const [stored, failed] = await Promise.allSettled([queue.submit('a'), queue.submit('failed')]);
  expect([stored, failed]).toEqual([
    { status: 'fulfilled', value: 'a' },
    { status: 'rejected', reason: failure },
  ]);
  expect(observed).toEqual([
    [2, true],
    [1, false],
    [2, false],
  ]);
});

test('the observer gets the duration of a commit', async () => {
  const { promise: told, resolve: tell } = Promise.withResolvers<{ readonly ms: number; readonly most: number }>();
  const begun = performance.now();
  let least = 0;
  const queue = new CommitQueue<string, string>(
    async (writes) => {
      const from = performance.now();
      await turn();
      least = performance.now() - from;
      return writes;
    },
    () => 1,
    (_, ms) => tell({ ms, most: performance.now() - begun }),
  );
  await queue.submit('a');
  const { ms, most } = await told;
  expect(ms).toBeGreaterThanOrEqual(least);
  expect(ms).toBeLessThanOrEqual(most);
});

test('a recorded trace has the wait and the commit of its write, before it is answered', async () => {
  const told: string[] = [];
  const trace = (id: string, isRecorded: boolean) => ({
    id,
    isRecorded,
    took(stage: string, start: number, end: number, error?: string) {
      expect(end).toBeGreaterThanOrEqual(start);
      told.push(`${id} ${stage}${error === undefined ? '' : `: ${error}`}`);
    },
  });
  let fails = false;
  const queue = new CommitQueue<number, string>(
    async (writes) => {
      if (fails) throw new Error('no disk');
      return writes.map(String);
    },
    () => 1,
  );
  const answered = (number: number, id: string, isRecorded: boolean) =>
    queue.submit(number, trace(id, isRecorded)).then(
      () => told.push(`${id} stored`),
      () => told.push(`${id} refused`),
    );
  await Promise.all([answered(1, 'a', true), answered(2, 'b', false)]);
  fails = true;
  await answered(3, 'c', true);
  expect(told).toEqual([
    'a queue',
    'a commit',
    'a stored',
    'b stored',
    'c queue',
    'c commit: commit_failed',
    'c refused',
  ]);
});
