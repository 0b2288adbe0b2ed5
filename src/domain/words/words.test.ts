import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { wordsOf } from './split.ts';
import { areFound, Words } from './words.ts';

test('the same words begin so, however often it is asked', () => {
  const text = fc.string({ unit: fc.constantFrom(...'abz9é東 \u{1f600}\u{10428}'), maxLength: 60 });
  fc.assert(
    fc.property(text, fc.array(text, { minLength: 80, maxLength: 80 }), (one, starts) => {
      const words = new Words(one);
      const all = [...wordsOf(one)];
      for (const start of starts.flatMap((some) => [...wordsOf(some), '']))
        expect(words.has({ word: start, isStart: true })).toBe(all.some((word) => word.startsWith(start)));
    }),
  );
});

test('each word is in one of the texts', () => {
  const texts = [new Words('one two'), new Words('three')];
  const has = (...words: string[]) =>
    areFound(
      words.map((word) => ({ word: word.replace('*', ''), isStart: word.endsWith('*') })),
      texts,
    );
  expect([has(), has('one', 'three'), has('tw*', 'thr*'), has('one', 'four'), has('thre')]).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
