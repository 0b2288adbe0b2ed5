import { describe, expect, spyOn, test } from 'bun:test';
import { parseJson } from './json.ts';

describe('the digits of a top-level number', () => {
  test.each([
    ['{"id":9223372036854775807}', '9223372036854775807'],
    ['{"id":1e2}', '1e2'],
    ['{"id":1234567890.00000001}', '1234567890.00000001'],
    ['{"id":1.00000000000000000001}', '1.00000000000000000001'],
    ['{"id":9223372036854775806,"id":9223372036854775807}', '9223372036854775807'],
    ['{"id":9223372036854775807,"inner":{"id":9223372036854775806}}', '9223372036854775807'],
    ['{"inner":{"id":9223372036854775806},"id":9223372036854775807}', '9223372036854775807'],
    ['{"\\u0069d":-1e2}', '-1e2'],
    ['{"id":1e2,"id":"1e2"}', undefined],
    ['{"id":[1e2]}', undefined],
    ['{"id":null,"more":1e2}', undefined],
    ['{"inner":{"id":9223372036854775807}}', undefined],
  ])('%s', (text, literal) => {
    for (const before of [0, 5000]) expect(parseJson(' '.repeat(before) + text).literal('id')).toBe(literal);
  });

  test('are found without a call for each number in a long text', () => {
    const parse = spyOn(JSON, 'parse');
    const text = `{"id":1e2,"more":[${'1,'.repeat(5000)}1]}`;
    expect(parseJson(text).literal('id')).toBe('1e2');
    expect(parse.mock.calls).toEqual([[text]]);
    parse.mockRestore();
  });

  test('are not kept if a double holds them all', () => {
    const json = parseJson('{"id":123456789012345}');
    expect(json.value).toEqual({ id: 123456789012345 });
    expect(json.literal('id')).toBeUndefined();
  });
});

test('a key that JavaScript treats specially is data', () => {
  const { value } = parseJson('{"__proto__":{"polluted":1},"id":1e0}');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test.each(['', ',1e1', ',9223372036854775807'])('the nesting limit does not depend on other content: %p', (rest) => {
  const nested = (depth: number) => `[${'['.repeat(depth - 1)}"]]"${']'.repeat(depth - 1)}${rest}]`;
  expect(() => parseJson(nested(1000))).not.toThrow();
  expect(() => parseJson(nested(1001))).toThrow(RangeError);
  expect(() => parseJson(nested(300_000))).toThrow(RangeError);
});

test('brackets inside text do not count as nesting', () => {
  expect(parseJson(`["${'['.repeat(5000)}\\"[["]`).value).toEqual([`${'['.repeat(5000)}"[[`]);
});

test('text that is not JSON throws', () => {
  expect(() => parseJson('{')).toThrow(SyntaxError);
});

test('checking the depth takes linear time for any text', () => {
  for (const text of [`"${'\\"'.repeat(500_000)}`, `{"name":"${'x'.repeat(1_000_000)}"}`, '"'.repeat(1_000_001)]) {
    const start = performance.now();
    try {
      parseJson(text);
    } catch (error) {
      expect(error).toBeInstanceOf(SyntaxError);
    }
    // A quadratic scan would take minutes.
    expect(performance.now() - start).toBeLessThan(5000);
  }
});
