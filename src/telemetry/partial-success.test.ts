import { expect, test } from 'bun:test';
import { partialSuccess } from '../../test/support/otlp/schema.ts';
import { rejectedIn } from './partial-success.ts';

const json = (text: string) => rejectedIn(new TextEncoder().encode(text), true);

test('the count and the reason are read', () => {
  expect(rejectedIn(partialSuccess(300, 'no röom'), false)).toEqual({ count: 300, why: 'no röom' });
  expect(json('{"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"full"}}')).toEqual({
    count: 2,
    why: 'full',
  });
});

test('nothing rejected, and answers that are none of OTLP, count as taken', () => {
  expect(rejectedIn(partialSuccess(0, 'a warning'), false)).toBeUndefined();
  for (const text of ['', '{}', 'null', '<html>', '{"partialSuccess":7}', '[]']) expect(json(text)).toBeUndefined();
  for (const bytes of [
    [],
    [0x0a],
    [0x0a, 0xff],
    [0xff, 0xff, 0xff, 0xff],
    [0x0a, 0x02, 0x08],
    [0x0b],
    [0x0d, 1, 2, 3, 4],
  ])
    expect(rejectedIn(new Uint8Array(bytes), false)).toBeUndefined();
});
