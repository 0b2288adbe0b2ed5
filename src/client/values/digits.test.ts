import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Digits, digitsOf, Parsed, reading, restored } from './digits.ts';
import { encode } from './encode.ts';

const read = (text: string) => reading(text, (parsed) => restored(parsed.value, parsed));

test.each<[string, unknown]>([
  ['9007199254740993', 9007199254740993n],
  ['-9223372036854775808', -9223372036854775808n],
  ['12345678901234567890', 12345678901234567890n],
  ['9007199254740991', 9007199254740991],
  ['1e2', 100],
  ['1.50', 1.5],
  ['1.0000000000000000', 1],
  ['0.1', 0.1],
  ['0.30000000000000004', 0.30000000000000004],
  ['1e-7', 1e-7],
  ['1E+308', 1e308],
  ['5e-324', 5e-324],
  ['1.7976931348623157e308', Number.MAX_VALUE],
  ['-0', -0],
  ['-0.00e5', -0],
  ['1e23', 1e23],
  ['100000000000000000000000', 1e23],
  ['100000000000000000000001', 100000000000000000000001n],
  ['0.12345678901234567890', new Digits('0.12345678901234567890')],
  ['1e400', 10n ** 400n],
  ['1e1000000000', new Digits('1e1000000000')],
  ['1e-400', new Digits('1e-400')],
])('%s is read with every digit', (text, value) => {
  const found = read(text);
  expect(found).toEqual(value as never);
  expect(Object.is(found, value) || typeof found === 'object').toBe(true);
  expect(read(`{"a":[1,${text}],"${text}":"${text}"}`)).toEqual({ a: [1, value], [text]: text } as never);
});

test('text is never read as a number', () => {
  for (const text of ['9007199254740993', '"9007199254740993"', '\\"9007199254740993', '\\', '\\\\"1e5', '1e5,']) {
    const json = JSON.stringify({ [text]: text, number: 1 }).replace('1}', '9007199254740993}');
    expect(read(json)).toEqual({ [text]: text, number: 9007199254740993n });
  }
});

test('a member can have any name', () => {
  const value = read('{"__proto__":9007199254740993,"constructor":1e3}');
  expect(Object.entries(value as object)).toEqual([
    ['__proto__', 9007199254740993n],
    ['constructor', 1000],
  ]);
});

test('only numbers that may lose digits are marked', () => {
  const { value: plain, isMarked: isPlainMarked } = new Parsed('{"a":123456789012345,"b":"x"}');
  expect([plain, isPlainMarked]).toEqual([{ a: 123456789012345, b: 'x' }, false]);
  const { value, isMarked } = new Parsed('[1234567890123456,7,"1e5"]');
  expect(isMarked).toBe(true);
  expect((value as unknown[]).map(digitsOf)).toEqual(['1234567890123456', undefined, undefined]);
});

test('a long number is found wherever it begins', () => {
  for (let before = 0; before < 40; before++) {
    const text = (number: string) => `{"a":"${'x'.repeat(before)}","b":1.25,"c":[-${number}]}`;
    expect(new Parsed(text('1.34567890123456')).isMarked).toBe(true);
    expect(new Parsed(text('1.3456789012345')).isMarked).toBe(false);
  }
});

test.each([
  ['1e400', 10n ** 400n],
  ['-1E+400', -(10n ** 400n)],
  ['1e-400', new Digits('1e-400')],
  ['-12.5e-330', new Digits('-12.5e-330')],
  ['1.234567e-320', new Digits('1.234567e-320')],
  // The largest whose 15 digits a subnormal double does not have.
  ['999999999999999e-324', new Digits('999999999999999e-324')],
  ['-123456789012345e-324', new Digits('-123456789012345e-324')],
])('%s is found although a double has its place', (text, value) => {
  expect(new Parsed(`[${text}]`).isMarked).toBe(false);
  expect(read(`{"zero":0,"a":{"b":[1.5,-0,${text}]}}`)).toEqual({ zero: 0, a: { b: [1.5, -0, value] } });
  // A zero may be a number that was too small, so every text with one is read twice.
  expect(read(`[1.5,${text}]`)).toEqual([1.5, value]);
});

test('numbers that doubles hold are read once', () => {
  let times = 0;
  const value = reading('[0,-0,0.0e5,1e5,1e-7,1e-308,1e308,"1e400"]', (parsed) => {
    times++;
    return restored(parsed.value, parsed);
  });
  expect([times, value]).toEqual([2, [0, -0, 0, 1e5, 1e-7, 1e-308, 1e308, '1e400']]);
  reading('{"a":0,"b":[1e5,-0],"c":"12e3"}', (parsed) => {
    times++;
    return restored(parsed.value, parsed);
  });
  expect(times).toBe(3);
});

test('what is not JSON is refused', () => {
  for (const text of ['', '{', '"', '{"a":1e5', '[9007199254740993', '01e5', '1.e5', '"\\"'])
    expect(() => read(text)).toThrow(SyntaxError);
});

test('any JSON is the same after encoding and reading, with every digit', () => {
  const exact = fc.oneof(
    fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).filter((value) => BigInt(Number(value)) !== value),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      exact,
      fc.string({ unit: 'grapheme' }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value')),
      fc.dictionary(fc.string(), tie('value')),
    ),
  }));
  fc.assert(fc.property(value, (one) => expect(read(encode(one, 'value'))).toEqual(one)));
});
