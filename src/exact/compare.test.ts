import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { compareText } from './compare.ts';

test('text is compared by code points', () => {
  expect(compareText('\ue000', '\u{10000}')).toBeLessThan(0);
  expect(compareText('\ud7ff', '\ue000')).toBeLessThan(0);
  expect(compareText('a', 'ab')).toBeLessThan(0);
  expect(compareText('é', 'é')).toBe(0);
});

test('the order is that of the bytes in UTF-8', () => {
  const text = fc.string({ unit: 'binary', maxLength: 5 });
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(Math.sign(compareText(one, other))).toBe(Buffer.compare(Buffer.from(one), Buffer.from(other)));
    }),
    { numRuns: 5000 },
  );
});
