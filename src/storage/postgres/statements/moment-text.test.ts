import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { momentWriter } from './moment-text.ts';

test('every moment has the text of toISOString, whatever was written before', () => {
  const first = Date.parse('0001-01-01T00:00:00.000Z');
  const last = Date.parse('9999-12-31T23:59:59.999Z');
  const near = fc.integer({ min: 0, max: 172_800_000 });
  fc.assert(
    fc.property(fc.integer({ min: first, max: last - 172_800_000 }), fc.array(near), (start, steps) => {
      const write = momentWriter();
      for (const step of steps) {
        const moment = new Date(start + step);
        expect(write(moment)).toBe(moment.toISOString());
      }
    }),
  );
});

test('the first and the last millisecond of a day', () => {
  const write = momentWriter();
  for (const text of [
    '2026-02-28T23:59:59.999Z',
    '2026-03-01T00:00:00.000Z',
    '1969-12-31T23:59:59.999Z',
    '1970-01-01T00:00:00.000Z',
  ])
    expect(write(new Date(text))).toBe(text);
});
