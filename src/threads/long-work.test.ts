import { expect, spyOn, test } from 'bun:test';
import { race } from '../../test/support/threads/race.ts';
import { LongWork, longWorkFor, newLongWork } from './long-work.ts';

test('never more threads work than may, and none waits in vain', async () => {
  for (const most of [1, 2]) {
    const working = await race({
      name: 'longWork',
      shared: newLongWork(most),
      steps: 50_000,
      passed: new SharedArrayBuffer(4),
    });
    expect(Math.max(...working.flat())).toBeLessThanOrEqual(most);
  }
});

test('a turn ends with an error, and for a thread that has ended', () => {
  const shared = newLongWork(1);
  const [ended, other] = [longWorkFor(shared), longWorkFor(shared)];
  const fail = () => {
    throw new Error('malformed');
  };
  expect(() => ended.run(fail)).toThrow('malformed');
  let answer = '';
  ended.run(() => {
    // As its owner does.
    new LongWork(ended.memory).leave();
    answer = other.run(() => 'parsed');
  });
  expect(answer).toBe('parsed');
  // Ended twice is ended once: two do not run at a time now.
  expect(new Int32Array(shared).slice(0, 2)).toEqual(new Int32Array([3, 3]));
});

test('after whole work a thread leaves as much time to threads that are busy with short turns', () => {
  const shared = newLongWork(1);
  const [parser, searcher] = [longWorkFor(shared), longWorkFor(shared)];
  let now = 1000;
  const waited: number[] = [];
  const clock = spyOn(performance, 'now').mockImplementation(() => now);
  const wait = spyOn(Atomics, 'wait').mockImplementation((_, __, ___, ms = 0) => {
    waited.push(ms);
    now += ms;
    return 'timed-out';
  });
  /** Whole work of so many milliseconds; returns how long it waits first. */
  const waitsBefore = (ms: number) => {
    waited.length = 0;
    parser.runWhole(() => (now += ms));
    return waited;
  };
  searcher.setBusy(true);
  expect(waitsBefore(700)).toEqual([]);
  now += 300;
  expect(waitsBefore(200)).toEqual([400]);
  expect(waitsBefore(500)).toEqual([200]);
  searcher.setBusy(false);
  expect(waitsBefore(500)).toEqual([]);
  searcher.setBusy(true);
  // As its owner does when the thread has ended.
  new LongWork(searcher.memory).leave();
  expect(waitsBefore(1)).toEqual([]);
  clock.mockRestore();
  wait.mockRestore();
});

test('the numbers of turns may wrap around', () => {
  const shared = newLongWork(1);
  new Int32Array(shared).fill(2 ** 31 - 1, 0, 2);
  const work = longWorkFor(shared);
  expect([work.run(() => 1), work.run(() => 2)]).toEqual([1, 2]);
});
