/** A body that crosses threads is validated like one that does not. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { items } from '../../collections/items.ts';
import { parseJson } from '../../domain/input/json.ts';
import { jsonOf, outlineOf } from './body-outline.ts';

const shape = items.record;
const keys = fc.constantFrom('id', 'name', 'price', 'external_id', 'version', '__proto__', 'constructor', 'more');
const values = fc.oneof(
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.bigInt().map(String),
  fc.double().map(String),
  fc.constantFrom('9223372036854775807', '9223372036854775808', '1e400', '-0', '1.0', '12345678901234567890.5', '"x"'),
);
const objects = fc
  .array(fc.tuple(keys, values), { maxLength: 8 })
  .map((members) => `{${members.map(([key, value]) => `"${key}":${value}`).join()}}`);
const texts = fc.oneof(
  objects,
  fc.jsonValue().map((value) => JSON.stringify(value)),
);

function resultOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

test('the shallow copy validates the same', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const json = resultOf(() => parseJson(text));
      fc.pre(!(json instanceof Error));
      const whole = parseJson(text);
      const crossed = jsonOf(structuredClone(outlineOf(whole, shape.members)));
      expect(resultOf(() => items.parse(crossed))).toEqual(resultOf(() => items.parse(whole)));
      expect(resultOf(() => shape.parse(crossed))).toEqual(resultOf(() => shape.parse(whole)));
    }),
    { numRuns: 2000 },
  );
});

test('a very long number is shortened to one that validates the same', () => {
  const long = '0'.repeat(5000);
  for (const id of [
    `${'9'.repeat(5000)}`,
    `1${long}e-5000`,
    `7.${long}`,
    `7.${long}1`,
    `-0.${long}7e5001`,
    `1${long}.5`,
  ]) {
    const whole = parseJson(`{"id":${id},"name":"x","price":1}`);
    const copy = outlineOf(whole, shape.members);
    expect(JSON.stringify(copy).length).toBeLessThan(200);
    expect(resultOf(() => items.parse(jsonOf(copy)))).toEqual(resultOf(() => items.parse(whole)));
  }
});

test('expected members are found among thousands of others, most of which are dropped', () => {
  const others = Array.from({ length: 5000 }, (_, n) => `"f${n}":[${n}]`).join();
  const copy = outlineOf(parseJson(`{${others},"price":2,"id":9223372036854775807,"name":"x"}`), shape.members);
  expect('members' in copy && copy.members.length).toBe(203);
  expect(items.parse(jsonOf(copy))).toEqual({ id: 9223372036854775807n, name: 'x', price: 2 });
});
