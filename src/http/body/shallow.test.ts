/** A body that crosses threads is judged as one that does not. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { items } from '../../collections/items.ts';
import { parseJson } from '../../domain/json.ts';
import { jsonOf, shallow } from './shallow.ts';

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

function judged(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

test('what is left of it says the same', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const json = judged(() => parseJson(text));
      fc.pre(!(json instanceof Error));
      const whole = parseJson(text);
      const crossed = jsonOf(structuredClone(shallow(whole, shape.keys)));
      expect(judged(() => items.parse(crossed))).toEqual(judged(() => items.parse(whole)));
      expect(judged(() => shape.parse(crossed))).toEqual(judged(() => shape.parse(whole)));
    }),
    { numRuns: 2000 },
  );
});

test('a number of very many digits crosses as a few that mean the same', () => {
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
    const told = shallow(whole, shape.keys);
    expect(JSON.stringify(told).length).toBeLessThan(200);
    expect(judged(() => items.parse(jsonOf(told)))).toEqual(judged(() => items.parse(whole)));
  }
});

test('what is asked for is found among very many others, and most of those are not told', () => {
  const others = Array.from({ length: 5000 }, (_, n) => `"f${n}":[${n}]`).join();
  const told = shallow(parseJson(`{${others},"price":2,"id":9223372036854775807,"name":"x"}`), shape.keys);
  expect('members' in told && told.members.length).toBe(203);
  expect(items.parse(jsonOf(told))).toEqual({ id: 9223372036854775807n, name: 'x', price: 2 });
});
