import { clockDefaults } from '../../exact/clock-default.ts';
import { isDay } from '../../exact/moment.ts';
import { between, jsonSchema } from '../record/json-schema.ts';
import { partsOfDay } from './date-parts.ts';
import {
  boundsNarrow,
  type Clock,
  comparisons,
  type FieldType,
  fromJsonText,
  type Option,
  ofClock,
  type Refusal,
} from './type.ts';

const first = '0001-01-01';
const last = '9999-12-31';
const usual = '2026-11-15';
const expected = `a day from ${first} to ${last}, such as ${usual}`;

const bound = (description: string): Option => ({
  schema: jsonSchema.string({ format: 'date', description }),
  expected,
  isRight: (value) => typeof value === 'string' && isDay(value),
});

/** The day in UTC. */
const clock: Clock = {
  preset: clockDefaults.date,
  what: 'day',
  valueAt: (moment) => moment.slice(0, 10),
  sqlite: { preset: "(date('now'))" },
  postgres: { preset: "(now() at time zone 'UTC')::date", at: (moment) => `left(${moment}, 10)` },
};

export const date: FieldType = {
  about: 'A day of the calendar, as in "2026-11-15".',
  options: { min: bound('First day.'), max: bound('Last day.') },
  problems({ min, max }) {
    return min !== undefined && max !== undefined && String(min) > String(max)
      ? [['min', 'must not be after max']]
      : [];
  },
  narrows: (before, after) => boundsNarrow(before, after, (bound) => (bound === undefined ? undefined : String(bound))),
  canBeUnique: true,
  clock,
  isScalar: true,
  compile(declared) {
    const { min, max } = declared;
    const [least, most] = [String(min ?? first), String(max ?? last)];
    const example = usual < least ? least : usual > most ? most : usual;
    function read(value: unknown): string | Refusal {
      if (typeof value !== 'string' || !isDay(value))
        return { refused: `must be a day from ${least} to ${most}, such as ${example}` };
      if (value < least) return { refused: `must be ${least} or later` };
      return value > most ? { refused: `must be ${most} or earlier` } : value;
    }
    return {
      declared,
      ...ofClock(clock, declared),
      schema: jsonSchema.string({ format: 'date', ...between(least, most) }),
      example,
      typescript: 'string',
      read,
      readCell: read,
      revive: (value) => value as string,
      encode: (value) => `"${value}"`,
      filter: {
        operators: comparisons,
        expected,
        schema: jsonSchema.string({ format: 'date', ...between(first, last) }),
        parse: (text) => (isDay(text) ? text : undefined),
      },
      isOrdered: true,
      parts: partsOfDay,
      sqlite: { column: 'text', isPlain: true, bind: (value) => value as string, unbind: String },
      postgres: {
        column: 'date',
        name: 'date',
        select: (column) => `to_char(${column}, 'YYYY-MM-DD')`,
        json: (column) => `to_char(${column}, 'YYYY-MM-DD')`,
        fromJson: fromJsonText('date'),
        unbind: String,
      },
    };
  },
};
