import { expect, test } from 'bun:test';
import { race } from '../../test/race.ts';
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
    new LongWork(ended.memory).end();
    answer = other.run(() => 'parsed');
  });
  expect(answer).toBe('parsed');
  // Ended twice is ended once: two do not run at a time now.
  expect(new Int32Array(shared).slice(0, 2)).toEqual(new Int32Array([3, 3]));
});

test('the numbers of turns may wrap around', () => {
  const shared = newLongWork(1);
  new Int32Array(shared).fill(2 ** 31 - 1, 0, 2);
  const work = longWorkFor(shared);
  expect([work.run(() => 1), work.run(() => 2)]).toEqual([1, 2]);
});
