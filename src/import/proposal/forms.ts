/** What a value of a file can be, by its text. */
import { exactInteger } from '../../exact/integer.ts';
import { elementsOf, type JsonKind, kindOf } from '../../exact/json-text.ts';
import { isDay, momentOf } from '../../exact/moment.ts';
import { isNumeral } from '../../exact/numeral.ts';

/** `text`: a cell of CSV, or the contents of a JSON string; of any other JSON value its JSON. */
export type Value = { readonly kind: 'cell' | JsonKind; readonly text: string; readonly line: number };

/** The strictest first: a column has the first one that all of its values have. `structure`: an object, or a list of anything. */
export const forms = [
  'boolean',
  'integer',
  'decimal',
  'number',
  'date',
  'timestamp',
  'list',
  'structure',
  'text',
  'json',
] as const;
export type Form = (typeof forms)[number];

/** Of a decimal, after the point; a decimal has 18 digits at most. */
export const maxPlaces = 9;

const decimal = /^-?(?:0|[1-9]\d*)(?:\.(\d+))?$/;
/** A code, such as a postal code: as a number it would lose its zeros. */
const leadingZero = /^-?0\d/;

/** Undefined if the text is no decimal number. */
export function placesOf(text: string): number | undefined {
  const match = decimal.exec(text);
  const places = match?.[1]?.length ?? 0;
  return match === null || places > maxPlaces || text.length > 19 ? undefined : places;
}

const holds: Readonly<Record<Form, (value: Value) => boolean>> = {
  boolean: ({ kind, text }) => kind === 'boolean' || (kind === 'cell' && /^(?:true|false)$/i.test(text)),
  integer: ({ kind, text }) =>
    (kind === 'number' || kind === 'cell') && /^(?:0|-?[1-9]\d*)$/.test(text) && typeof exactInteger(text) === 'bigint',
  decimal: ({ kind, text }) => (kind === 'string' || kind === 'cell') && placesOf(text) !== undefined,
  number: ({ kind, text }) =>
    kind === 'number' ||
    (kind === 'cell' && isNumeral(text) && !leadingZero.test(text) && Number.isFinite(Number(text))),
  date: ({ kind, text }) => (kind === 'string' || kind === 'cell') && isDay(text),
  timestamp: ({ kind, text }) => (kind === 'string' || kind === 'cell') && momentOf(text) !== undefined,
  list: (value) => jsonOf(value, 'array') && elementsOf(value.text).every((one) => isScalar(kindOf(one))),
  structure: (value) => jsonOf(value, 'array') || jsonOf(value, 'object'),
  text: ({ kind }) => kind === 'string' || kind === 'cell',
  json: ({ kind }) => kind !== 'cell',
};

export function hasForm(form: Form, value: Value): boolean {
  return holds[form](value);
}

function isScalar(kind: JsonKind): boolean {
  return kind === 'string' || kind === 'number' || kind === 'boolean';
}

/** A cell can have JSON, too. */
function jsonOf({ kind, text }: Value, wanted: 'array' | 'object'): boolean {
  if (kind !== 'cell') return kind === wanted;
  if (text.charAt(0) !== (wanted === 'array' ? '[' : '{')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A value of JSON by its text; undefined for null. */
export function jsonValue(text: string, line: number): Value | undefined {
  const kind = kindOf(text);
  if (kind === 'null') return undefined;
  return { kind, text: kind === 'string' ? (JSON.parse(text) as string) : text, line };
}
