import { expect, test } from 'bun:test';
import { ShelfError } from '../send/failure.ts';
import { Digits } from './digits.ts';
import { encode } from './encode.ts';

test('every digit is written', () => {
  const value = { a: -9223372036854775808n, b: -0, c: 1e308, d: [new Digits('1.50')], e: undefined, f: null, g: true };
  expect(encode(value, 'book')).toBe('{"a":-9223372036854775808,"b":-0,"c":1e+308,"d":[1.50],"f":null,"g":true}');
  expect(encode({ at: new Date(0), 'a"b': '\u2028"' }, 'book')).toBe(
    '{"at":"1970-01-01T00:00:00.000Z","a\\"b":"\u2028\\""}',
  );
});

test('what JSON does not have is refused with its place', () => {
  for (const [value, message] of [
    [{ price: Number.NaN }, 'books.price is NaN, which JSON does not have.'],
    [{ sizes: [1, Number.POSITIVE_INFINITY] }, 'books.sizes[1] is Infinity, which JSON does not have.'],
    [{ meta: { call: () => {} } }, 'books.meta.call is function, which JSON does not have.'],
    [{ meta: [undefined] }, 'books.meta[0] is undefined, which JSON does not have.'],
  ] as const)
    expect(() => encode(value, 'books')).toThrow(new ShelfError('invalid_argument', message));
});
