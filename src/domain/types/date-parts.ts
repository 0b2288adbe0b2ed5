/** Parts of days and moments, in UTC. Each has the year in front, so that they sort; weeks are those of ISO 8601. */
import { jsonSchema } from '../record/json-schema.ts';
import { literal } from '../sql-text.ts';
import { integer } from './integer.ts';
import { text } from './text.ts';
import type { Field, Part } from './type.ts';

type Parts = Readonly<Record<string, Part>>;

/** `select` is of SQLite, which has days and moments as text; PostgreSQL has formats. */
type Spelling = {
  readonly select: (column: string) => string;
  readonly format: string;
  readonly pattern: string;
  readonly example: string;
};

const ofDay: Readonly<Record<string, Spelling>> = {
  quarter: {
    select: (column) => `substr(${column}, 1, 5) || 'Q' || ((substr(${column}, 6, 2) + 2) / 3)`,
    format: 'YYYY-"Q"Q',
    pattern: '^\\d{4}-Q[1-4]$',
    example: '2026-Q4',
  },
  month: {
    select: (column) => `substr(${column}, 1, 7)`,
    format: 'YYYY-MM',
    pattern: '^\\d{4}-\\d\\d$',
    example: '2026-11',
  },
  // The year of a week is that of its Thursday.
  week: {
    select: (column) => `strftime('%G-W%V', ${column})`,
    format: 'IYYY-"W"IW',
    pattern: '^\\d{4}-W\\d\\d$',
    example: '2026-W46',
  },
  day: {
    select: (column) => `substr(${column}, 1, 10)`,
    format: 'YYYY-MM-DD',
    pattern: '^\\d{4}-\\d\\d-\\d\\d$',
    example: '2026-11-15',
  },
};
/** A day has no hours. */
const ofMoment: Readonly<Record<string, Spelling>> = {
  ...ofDay,
  hour: {
    select: (column) => `substr(${column}, 1, 13)`,
    format: 'YYYY-MM-DD"T"HH24',
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d$',
    example: '2026-11-15T09',
  },
};

const year: Field = {
  ...integer.compile({ type: 'integer' }),
  schema: jsonSchema.integer({ format: 'int64', minimum: 1, maximum: 9999 }),
  example: 2026,
  typescript: 'number',
};

/** `zone` follows a column of PostgreSQL. */
function partOf({ select, format, pattern, example }: Spelling, zone: string): Part {
  return {
    field: { ...text.compile({ type: 'text' }), schema: jsonSchema.string({ pattern }), example },
    sqlite: { select },
    postgres: { select: (column) => `to_char(${column}${zone}, ${literal(format)})` },
  };
}

function partsOf(spellings: Readonly<Record<string, Spelling>>, zone: string): Parts {
  const texts = Object.entries(spellings).map(([name, spelling]) => [name, partOf(spelling, zone)] as const);
  return {
    year: {
      field: year,
      sqlite: { select: (column) => `cast(substr(${column}, 1, 4) as integer)` },
      postgres: { select: (column) => `to_char(${column}${zone}, 'YYYY')::bigint` },
    },
    ...Object.fromEntries(texts),
  };
}

export const partsOfDay = partsOf(ofDay, '');
export const partsOfMoment = partsOf(ofMoment, " at time zone 'UTC'");
