import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { compact, elementsOf, hasUnreadableText, membersOf, objectOf } from './json-text.ts';

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

test('members and elements keep their digits', () => {
  for (const one of ['9007199254740993', '-0', '0.1', '1e-7', '12345678901234567890', '1.50']) {
    expect([...membersOf(`{"a":${one},"b":[${one}]}`)]).toEqual([
      ['a', one],
      ['b', `[${one}]`],
    ]);
    expect(elementsOf(`[${one}, ${one}]`)).toEqual([one, one]);
  }
});

test('an object is made of its members again, whatever the characters', () => {
  const name = 'a"b\\c}],: \u2028é';
  const object = JSON.stringify({ [name]: 'x"}],\\', '': {} });
  expect([...membersOf(object).keys()]).toEqual([name, '']);
  expect(objectOf(membersOf(object))).toBe(object);
});

test('the elements of a list are their text', () => {
  expect(elementsOf(' [[1,[2]], {"a":[{}]} , "]", null ] ')).toEqual(['[1,[2]]', '{"a":[{}]}', '"]"', 'null']);
  for (const other of ['[]', ' [ ] ', '{}', '1', '"["', 'null']) expect(elementsOf(other)).toEqual([]);
  fc.assert(
    fc.property(fc.array(spaced), (elements) => {
      expect(elementsOf(`[ ${elements.join(' ,\t')}\n]`)).toEqual(elements);
    }),
    { numRuns: 500 },
  );
});

test('escapes of characters that PostgreSQL cannot read', () => {
  for (const text of ['["\\u0000"]', '{"a":"\\ud83d"}', '"\\\\\\uDE00"']) expect(hasUnreadableText(text)).toBe(true);
  for (const text of ['"\\ud83d\\ude00"', '"\\\\u0000"', '"\\u0001"', '"u0000"'])
    expect(hasUnreadableText(text)).toBe(false);
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
