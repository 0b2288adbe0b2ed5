/** Values of many records, parsed together, are the same as those of each record alone. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { compileField } from '../../../domain/types/all-types.ts';
import { openBindings } from './bindings.ts';

const optional = { optional: true } as const;
const fields = Object.fromEntries(
  Object.entries({
    text: { type: 'text' },
    count: { type: 'integer', ...optional },
    amount: { type: 'number' },
    price: { type: 'decimal', scale: 2, ...optional },
    is_new: { type: 'boolean' },
    day: { type: 'date', ...optional },
  }).map(([key, declared]) => [key, compileField(declared)]),
);
const integer = fc.oneof(fc.integer(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })).map(String);
const decimal = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }).map((cents) => {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return `"${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}"`;
});
const nullable = (json: fc.Arbitrary<string>) => fc.oneof(json, fc.constant('null'));
const record = fc
  .record({
    text: fc.string().map((text) => JSON.stringify(text)),
    count: nullable(integer),
    amount: fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => (Object.is(one, -0) ? '-0' : String(one))),
    price: nullable(decimal),
    is_new: fc.boolean().map(String),
    day: nullable(fc.constant('"2026-11-16"')),
  })
  .map((members) => `{${Object.entries(members).map(([key, json]) => `"${key}":${json}`)}}`);

test('any records, in groups of any size', () => {
  const bindings = openBindings(fields);
  const exact = (values: readonly unknown[]) =>
    values.map((value) => (Object.is(value, -0) ? '-0' : value === null ? null : String(value)));
  fc.assert(
    fc.property(fc.array(record, { maxLength: 150 }), (records) => {
      const alone = records.flatMap((json) => bindings.some(json).map((value) => value ?? null));
      expect(exact(bindings.all(records))).toEqual(exact(alone));
    }),
    { numRuns: 200 },
  );
});
