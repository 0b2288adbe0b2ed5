/** Values of fields as PostgreSQL has them in the binary format of COPY, by the type of the column. */
import type { Field, SetValue } from '../../../domain/types/type.ts';
import type { BinaryRows } from './binary-rows.ts';

export type WriteValue = (rows: BinaryRows, value: SetValue) => void;

/** PostgreSQL counts days and microseconds from here. */
const beginning = Date.UTC(2000, 0, 1);
const dayMs = 86_400_000;

/** By the name of the type. */
const writers: Readonly<Record<string, WriteValue>> = {
  text: (rows, value) => rows.text(String(value)),
  json: (rows, value) => rows.text(String(value)),
  bigint: (rows, value) => rows.int64(value as bigint),
  boolean: (rows, value) => rows.boolean(value === true),
  'double precision': (rows, value) => rows.double(Number(value)),
  date: (rows, value) => rows.int32((Date.parse(String(value)) - beginning) / dayMs),
  'timestamp with time zone': (rows, value) => rows.int64(microseconds(String(value))),
  numeric: (rows, value) => rows.int16s(numeric(String(value))),
};

export function writeValueOf({ postgres }: Field): WriteValue {
  const writer = writers[postgres.name];
  if (writer === undefined) throw new Error(`there is no binary format for ${postgres.name}`);
  return writer;
}

/** UTC with milliseconds. A double does not have all microseconds of the calendar. */
export function microseconds(moment: string): bigint {
  return BigInt(Date.parse(moment) - beginning) * 1000n;
}

const [positive, negative] = [0, 0x4000];

/** Digits to the base of 10,000, as in 1234|5600 for 1234.56, after their number, the exponent of the first, the sign and the places. */
function numeric(text: string): number[] {
  const isNegative = text.startsWith('-');
  const point = text.indexOf('.');
  const whole = text.slice(isNegative ? 1 : 0, point < 0 ? text.length : point);
  const places = point < 0 ? '' : text.slice(point + 1);
  // Most numbers are short.
  if (whole.length <= 4 && places.length <= 4) return short(Number(whole), places, isNegative ? negative : positive);
  const groups = [
    ...groupsOf(whole.padStart(upToFour(whole.length), '0')),
    ...groupsOf(places.padEnd(upToFour(places.length), '0')),
  ];
  let weight = upToFour(whole.length) / 4 - 1;
  while (groups[0] === 0) {
    groups.shift();
    weight--;
  }
  while (groups.at(-1) === 0) groups.pop();
  // Zero has no digits, and its exponent is 0.
  const exponent = groups.length === 0 ? 0 : weight & 0xffff;
  return [groups.length, exponent, isNegative ? negative : positive, places.length, ...groups];
}

function short(whole: number, places: string, sign: number): number[] {
  const part = Number(places) * 10 ** (4 - places.length);
  if (whole === 0) return part === 0 ? [0, 0, sign, places.length] : [1, 0xffff, sign, places.length, part];
  return part === 0 ? [1, 0, sign, places.length, whole] : [2, 0, sign, places.length, whole, part];
}

const upToFour = (length: number) => Math.ceil(length / 4) * 4;

function groupsOf(digits: string): number[] {
  const groups: number[] = [];
  for (let at = 0; at < digits.length; at += 4) groups.push(Number(digits.slice(at, at + 4)));
  return groups;
}
