/** Bounds of every type that has some: `min` and `max` themselves are within them. */
import { describe, expect, test } from 'bun:test';
import type { FieldDeclaration, Plain } from '../record/declaration.ts';
import { compileField, types } from './all-types.ts';

type Bounds = readonly [below: Plain, min: Plain, max: Plain, above: Plain];
/** Values in their order, and a declaration of the type; of a text and a list, the number of characters and elements counts. */
const ofType: Readonly<Record<string, readonly [more: object, values: Bounds, bounds: Bounds]>> = {
  text: [{}, ['a', 'ab', 'abc', 'abcd'], [1, 2, 3, 4]],
  integer: [{}, [-3, -2, 2, 3], [-3, -2, 2, 3]],
  number: [{}, [-0.3, -0.2, 0.2, 0.3], [-0.3, -0.2, 0.2, 0.3]],
  decimal: [{ scale: 1 }, ['-0.3', '-0.2', '0.2', '0.3'], ['-0.3', '-0.2', '0.2', '0.3']],
  date: [
    {},
    ['2026-01-01', '2026-01-02', '2026-02-01', '2026-02-02'],
    ['2026-01-01', '2026-01-02', '2026-02-01', '2026-02-02'],
  ],
  list: [{ of: 'boolean' }, [[true], [true, true], Array(3).fill(true), Array(4).fill(true)], [1, 2, 3, 4]],
};

test('every type with bounds is here', () => {
  const bounded = Object.entries(types).filter(([, { options }]) => 'min' in options);
  expect(bounded.map(([name]) => name)).toEqual(Object.keys(ofType));
});

describe.each(Object.entries(ofType))('%s', (type, [more, values, bounds]) => {
  const [below, min, max, above] = bounds;
  const declare = (options: Partial<FieldDeclaration>): FieldDeclaration => ({ type, ...more, ...options });
  const fits = (options: Partial<FieldDeclaration>) => {
    const field = compileField(declare(options));
    return values.map((value) => typeof field.read(value, field.takesText && JSON.stringify(value)) !== 'object');
  };
  const problems = (options: Partial<FieldDeclaration>) => types[type]?.problems?.(declare(options)) ?? [];
  const narrows = (before: Partial<FieldDeclaration>, after: Partial<FieldDeclaration>) =>
    types[type]?.narrows?.(declare(before), declare(after));

  test('values from min to max are right', () => {
    expect(fits({})).toEqual([true, true, true, true]);
    expect(fits({ min })).toEqual([false, true, true, true]);
    expect(fits({ max })).toEqual([true, true, true, false]);
    expect(fits({ min, max })).toEqual([false, true, true, false]);
    expect(fits({ min: max, max })).toEqual([false, false, true, false]);
  });

  test('min may be max, and not above it', () => {
    for (const right of [{}, { min }, { max }, { min, max }, { min, max: min }]) expect(problems(right)).toEqual([]);
    expect(problems({ min: max, max: min })).toEqual([
      ['min', expect.stringMatching(/^must not be (above|after) max$/)],
    ]);
  });

  test('bounds that some value fits no longer are narrower', () => {
    for (const [before, after] of [
      [
        { min, max },
        { min, max },
      ],
      [{ min, max }, {}],
      [
        { min, max },
        { min: below, max: above },
      ],
    ] as const)
      expect(narrows(before, after)).toBe(false);
    for (const [before, after] of [
      [{}, { min }],
      [{}, { max }],
      [
        { min: below, max },
        { min, max },
      ],
      [
        { min, max: above },
        { min, max },
      ],
      [
        { min, max },
        { min: below, max: min },
      ],
    ] as const)
      expect(narrows(before, after)).toBe(true);
  });
});
