import { describe, expect, test } from 'bun:test';
import { Sampler, type SamplerSettings } from './sampler.ts';

const half = 2 ** 31;
const parent = (bits: string, isSampled: boolean) => ({
  traceId: `${'a'.repeat(18)}${bits}${'a'.repeat(6)}`,
  spanId: 'b'.repeat(16),
  isSampled,
});

describe.each<[SamplerSettings['name'], readonly boolean[], readonly boolean[]]>([
  // A new trace with low and with high bits; children: sampled, not sampled, each with low and with high bits.
  ['always_on', [true, true], [true, true, true, true]],
  ['always_off', [false, false], [false, false, false, false]],
  ['traceidratio', [false, true], [false, true, false, true]],
  ['parentbased_always_on', [true, true], [true, true, false, false]],
  ['parentbased_always_off', [false, false], [true, true, false, false]],
  ['parentbased_traceidratio', [false, true], [true, true, false, false]],
])('%s', (name, roots, children) => {
  const sampler = new Sampler({ name, ratio: 0.5 });
  test('decides on new traces', () => {
    expect([half - 1, half].map((random) => sampler.takesNew(random))).toEqual([...roots]);
  });
  test('decides on traces of callers', () => {
    const sent = [true, false].flatMap((isSampled) => ['7fffffff', '80000000'].map((bits) => parent(bits, isSampled)));
    expect(sent.map((one) => sampler.takesChild(one))).toEqual([...children]);
  });
});

test.each([
  [0, 0],
  [1, 1],
])('the share %p takes %p of all', (ratio, taken) => {
  const sampler = new Sampler({ name: 'traceidratio', ratio });
  for (const random of [0, 1, 2 ** 32 - 1]) expect(sampler.takesNew(random)).toBe(taken === 1);
});
