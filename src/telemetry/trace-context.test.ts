import { expect, test } from 'bun:test';
import { newSpanId, newTraceId, parentIn } from './trace-context.ts';

const [trace, span] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];

test.each([
  ['a sampled one', `00-${trace}-${span}-01`, true],
  ['one that is not sampled', `00-${trace}-${span}-00`, false],
  ['other flags', `00-${trace}-${span}-03`, true],
  ['flags without the first', `00-${trace}-${span}-fe`, false],
  ['a later version', `cc-${trace}-${span}-01`, true],
  ['a later version with more parts', `01-${trace}-${span}-01-what-comes`, true],
])('%s', (_, header, isSampled) => {
  expect(parentIn(header)).toEqual({ traceId: trace, spanId: span, isSampled });
});

test.each([
  null,
  '',
  'x',
  `00-${trace}-${span}`,
  `00-${trace}-${span}-1`,
  `00-${trace}-${span}-01-more`,
  `01-${trace}-${span}-01more`,
  `ff-${trace}-${span}-01`,
  `00-${'0'.repeat(32)}-${span}-01`,
  `00-${trace}-${'0'.repeat(16)}-01`,
  `00-${trace.toUpperCase()}-${span}-01`,
  `00-${trace}-${span}-01, 00-${trace}-${span}-01`,
])('%p is none', (header) => {
  expect(parentIn(header)).toBeUndefined();
});

test('new ids have their length, and the random bits of a trace id are where samplers look', () => {
  expect(newSpanId()).toMatch(/^(?!0{16})[\da-f]{16}$/);
  const id = newTraceId(0xdeadbeef);
  expect(id).toMatch(/^[\da-f]{32}$/);
  expect(id.slice(18, 26)).toBe('deadbeef');
  expect(parentIn(`00-${newTraceId(0)}-${newSpanId()}-01`)).toBeDefined();
});
