import { expect, test } from 'bun:test';
import { compact } from '../../src/exact/json-text.ts';
import { indented, members, plain } from './json.ts';

test('an answer that is not an object is not one of the server', () => {
  expect([...members(' {"a": 1.50}')]).toEqual([['a', '1.50']]);
  for (const text of ['', '[]', '"{', '<!doctype html>']) expect(() => members(text)).toThrow(SyntaxError);
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
