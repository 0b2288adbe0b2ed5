import { expect, test } from 'bun:test';
import { change, growth } from './growth.ts';

const samples = 60;
/** A size that rises by `perSample`, with collections at other times than the samples. */
const sizes = (from: number, perSample: number, sawtooth = 0) =>
  Array.from({ length: samples }, (_, n) => from + n * perSample + (n % 7) * sawtooth);

test('what is free again at the next collection is no growth', () => {
  expect(growth({ live: sizes(6, 0, 0.02), resident: sizes(100, 0, 5) })).toEqual([]);
});

test('the resident size may rise a little while the live memory does not', () => {
  expect(growth({ live: sizes(6, 0), resident: sizes(100, 0.3, 5) })).toEqual([]);
});

test('a small leak shows in the live memory, and one outside the heap in the resident size', () => {
  expect(growth({ live: sizes(6, 0.02, 0.02), resident: sizes(100, 0.05, 5) })).toEqual([
    expect.stringMatching(/^live memory grew from /),
  ]);
  expect(growth({ live: sizes(6, 0), resident: sizes(100, 2) })).toEqual([
    expect.stringMatching(/^resident memory grew from /),
  ]);
});

test('the warm-up does not count', () => {
  const live = sizes(0, 0).map((_, n) => (n < samples / 3 ? n : samples / 3));
  expect(change(live)).toEqual({ first: samples / 3, last: samples / 3 });
});
