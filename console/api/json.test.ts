import { expect, test } from 'bun:test';
import { compact, elements, indented, members, objectOf, plain } from './json.ts';

const digits = ['9007199254740993', '-0', '0.1', '1e-7', '12345678901234567890', '1.50'];

test('values keep their digits', () => {
  for (const one of digits) {
    expect(members(`{"a":${one},"b":[${one}]}`)).toEqual(
      new Map([
        ['a', one],
        ['b', `[${one}]`],
      ]),
    );
    expect(elements(`[${one}, ${one}]`)).toEqual([one, one]);
  }
});

test('names and strings with every kind of character', () => {
  const name = 'a"b\\c}],: \u2028é';
  const object = JSON.stringify({ [name]: 'x"}],\\', '': {} });
  expect([...members(object).keys()]).toEqual([name, '']);
  expect(objectOf(members(object))).toBe(object);
});

test('empty, nested and spaced', () => {
  expect(members(' { } ').size).toBe(0);
  expect(elements('[ ]')).toEqual([]);
  expect(elements('[[1,[2]], {"a":[{}]} , null ]')).toEqual(['[1,[2]]', '{"a":[{}]}', 'null']);
  expect(members('{ "a" : true , "b" : "x" }')).toEqual(
    new Map([
      ['a', 'true'],
      ['b', '"x"'],
    ]),
  );
});

test('space is removed between values only', () => {
  expect(compact('{ "a b" : [ 1.50 ,\n "x \\" y" ] }')).toBe('{"a b":[1.50,"x \\" y"]}');
});

test('plain data has no rounded number', () => {
  expect(plain('{"max":9223372036854775807,"min":1,"half":0.5,"tiny":1e-7}')).toEqual({
    max: '9223372036854775807',
    min: 1,
    half: 0.5,
    tiny: 1e-7,
  });
});

test('indented text has the same values, in the same order', () => {
  const text = '{"b":1.50,"a":[12345678901234567890,{},[]],"b":"x, {\\"y\\": [1]}","c":{"d":-0}}';
  expect(indented(text)).toBe(
    '{\n  "b": 1.50,\n  "a": [\n    12345678901234567890,\n    {},\n    []\n  ],\n  "b": "x, {\\"y\\": [1]}",\n  "c": {\n    "d": -0\n  }\n}',
  );
  expect(compact(indented(text))).toBe(text);
  expect(indented('1e-7')).toBe('1e-7');
});
