import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { compact, membersOf } from './json-text.ts';

/** JSON with white space wherever it may be. */
const spaced = fc
  .tuple(fc.jsonValue(), fc.constantFrom('', ' ', '\n\t', '  \r\n'))
  .map(([value, space]) => JSON.stringify(value, null, space === '' ? 0 : 2).replaceAll('\n', `${space}\n`));

test('the members of an object are their text', () => {
  expect([...membersOf(' {"a" : 1.50 , "b":[ {"x":"}"} ],"c":"\\"]", "a":null}')]).toEqual([
    ['a', 'null'],
    ['b', '[ {"x":"}"} ]'],
    ['c', '"\\"]"'],
  ]);
  expect([...membersOf('{"\\u0061\\\\":"\\\\"}')]).toEqual([['a\\', '"\\\\"']]);
  for (const other of ['[]', '["a",1]', '1', '"{"', '{}', ' { } ']) expect(membersOf(other).size).toBe(0);
});

test('whatever the JSON, each member is the text of its value', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), spaced), (object) => {
      const text = `{${Object.entries(object)
        .map(([key, value]) => ` ${JSON.stringify(key)} :\t${value}`)
        .join(' ,')}\n}`;
      expect(Object.fromEntries(membersOf(text))).toEqual(object);
    }),
    { numRuns: 500 },
  );
});

test('compact JSON is the same JSON, without white space outside of strings', () => {
  expect(compact('{ "a b" : [ 1.50,\n 1e2 ] , "c":"x  \\" y" }')).toBe('{"a b":[1.50,1e2],"c":"x  \\" y"}');
  fc.assert(
    fc.property(spaced, (text) => {
      expect(compact(text)).toBe(JSON.stringify(JSON.parse(text)));
    }),
    { numRuns: 500 },
  );
});
