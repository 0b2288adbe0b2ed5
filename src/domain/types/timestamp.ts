import { clockDefaults } from '../../exact/clock-default.ts';
import { firstMoment, isDay, lastMoment, momentOf } from '../../exact/moment.ts';
import { between, jsonSchema } from '../record/json-schema.ts';
import { partsOfMoment } from './date-parts.ts';
import { type Clock, comparisons, type FieldType, fromJsonText, ofClock, type Refusal } from './type.ts';

const expected = `a time from ${firstMoment} to ${lastMoment}, such as 2026-11-14T23:59:59.123Z`;

/** UTC with milliseconds, as in every answer. */
const inUtc = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const schema = jsonSchema.string({ format: 'date-time', ...between(firstMoment, lastMoment) });

function read(value: unknown): string | Refusal {
  const moment = typeof value === 'string' ? momentOf(value) : undefined;
  return moment ?? { refused: `must be ${expected}` };
}

const clock: Clock = {
  preset: clockDefaults.timestamp,
  what: 'time',
  valueAt: (moment) => moment,
  sqlite: { preset: "(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))" },
  postgres: { preset: 'now()', at: (moment) => moment },
};

export const timestamp: FieldType = {
  about: 'A moment: RFC 3339 with any offset in, UTC with milliseconds out.',
  options: {},
  canBeUnique: true,
  clock,
  isScalar: true,
  compile: (declared) => ({
    declared,
    ...ofClock(clock, declared),
    schema,
    example: '2026-11-15T09:30:00.000Z',
    typescript: 'string',
    read,
    readCell: read,
    revive: (value) => value as string,
    encode: (value) => `"${value}"`,
    filter: {
      operators: comparisons,
      expected,
      schema,
      // A day alone is its first moment.
      parse: (text) => momentOf(isDay(text) ? `${text}T00:00:00Z` : text),
    },
    isOrdered: true,
    parts: partsOfMoment,
    sqlite: { column: 'text', isPlain: true, bind: (value) => value as string, unbind: String },
    postgres: {
      column: 'timestamptz(3)',
      name: 'timestamp with time zone',
      select: inUtc,
      json: inUtc,
      fromJson: fromJsonText('timestamptz'),
      unbind: String,
    },
  }),
};
