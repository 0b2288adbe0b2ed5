/** The model of each type. */

import type { CollectionDeclaration, FieldDeclaration, Plain } from '../../../src/domain/record/declaration.ts';
import type { Node } from './json.ts';
import { hasWords } from './words-model.ts';

export type File = Readonly<Record<string, CollectionDeclaration>>;
export type Fields = Readonly<Record<string, FieldDeclaration>>;

/** Integers and references are bigint, decimals their digits without the point, JSON its text. */
type Scalar = string | number | bigint | boolean;
export type Value = Scalar | readonly Scalar[];

type Kind = {
  /** Undefined if the value is refused. */
  read(node: Node, declared: FieldDeclaration): Value | undefined;
  write(value: Value, declared: FieldDeclaration): string;
  readonly operators: readonly string[];
  /** Absent if there is no order. */
  order?(one: Value, other: Value): number;
};

export const comparisons = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in'];
export const numeral = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
export const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];
const asNumbers = (one: Value, other: Value) => (one < other ? -1 : one > other ? 1 : 0);
const asBytes = (one: Value, other: Value) => Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
const inBits = (value: bigint) => (value < least || value > most ? undefined : value);
const big = (bound: Plain | undefined, otherwise: bigint) => (bound === undefined ? otherwise : BigInt(String(bound)));

function integerIn(literal: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = numeral.exec(literal) ?? [];
  const digits = BigInt(`${sign}${whole}${fraction}`);
  const power = Number(exponent) - fraction.length;
  if (digits === 0n) return 0n;
  if (Math.abs(power) > 400) return undefined;
  const unit = 10n ** BigInt(Math.abs(power));
  if (power >= 0) return inBits(digits * unit);
  return digits % unit === 0n ? inBits(digits / unit) : undefined;
}

function unscaled(text: string, scale: number): bigint | undefined {
  const [, sign = '', whole, fraction = '', exponent] = numeral.exec(text) ?? [];
  if (whole === undefined || exponent !== undefined || fraction.length > scale) return undefined;
  return inBits(BigInt(`${sign}${whole}${fraction.padEnd(scale, '0')}`));
}

export function withPoint(value: bigint, scale: number): string {
  const digits = String(value)
    .replace('-', '')
    .padStart(scale + 1, '0');
  const split = digits.length - scale;
  return `${value < 0n ? '-' : ''}${digits.slice(0, split)}${scale === 0 ? '' : `.${digits.slice(split)}`}`;
}

function isDay(text: string): boolean {
  const [, year = 0, month = 0, day = 0] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return year > 0 && day > 0 && day <= days;
}

/** UTC with milliseconds. */
function momentIn(text: string): string | undefined {
  const found = /^(.{10})T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/i.exec(text);
  const [, day = '', hour = '', minute = '', second = '', fraction = '', sign = '', hours = '0', minutes = '0'] =
    found ?? [];
  if (!isDay(day) || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const local = Date.parse(`${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`);
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  const utc = new Date(sign === '-' ? local + offset : local - offset).toISOString();
  return utc.length === 24 && utc >= '0001' ? utc : undefined;
}

const within = <Of extends Value>(value: Of | undefined, low: Of, high: Of) =>
  value === undefined || value < low || value > high ? undefined : value;
const written = { write: (value: Value) => String(value) };
const quoted = { write: (value: Value) => JSON.stringify(value), order: asBytes };

/** U+0000, or half of a surrogate pair, as an escape. */
const unstorable = /\\u0000|\\ud83d(?!\\ude00)|(?<!\\ud83d)\\ude00/;

export const kinds: Readonly<Record<string, Kind>> = {
  text: {
    ...quoted,
    read({ value }, { min = 0, max = Number.POSITIVE_INFINITY, pattern = '' }) {
      if (typeof value !== 'string' || !value.isWellFormed() || value.includes('\0')) return undefined;
      const { length } = [...value];
      return length >= Number(min) && length <= Number(max) && new RegExp(pattern, 'u').test(value) ? value : undefined;
    },
    operators: [...comparisons, 'contains', 'starts_with', 'eq_ci', 'contains_ci'],
  },
  integer: {
    ...written,
    read: ({ value, text }, { min, max }) =>
      typeof value === 'number' ? within(integerIn(text), big(min, least), big(max, most)) : undefined,
    operators: comparisons,
    order: asNumbers,
  },
  number: {
    read: ({ value }, { min = -Number.MAX_VALUE, max = Number.MAX_VALUE }) =>
      typeof value === 'number' ? within(value, Number(min), Number(max)) : undefined,
    write: (value) => (Object.is(value, -0) ? '-0' : String(value)),
    operators: comparisons,
    order: asNumbers,
  },
  decimal: {
    read({ value }, { scale = 0, min, max }) {
      const bound = (text: Plain | undefined) => (text === undefined ? undefined : unscaled(String(text), scale));
      return typeof value === 'string'
        ? within(unscaled(value, scale), bound(min) ?? least, bound(max) ?? most)
        : undefined;
    },
    write: (value, { scale = 0 }) => `"${withPoint(value as bigint, scale)}"`,
    operators: comparisons,
    order: asNumbers,
  },
  boolean: {
    ...written,
    read: ({ value }) => (typeof value === 'boolean' ? value : undefined),
    operators: ['eq', 'ne', 'in'],
    order: asNumbers,
  },
  date: {
    ...quoted,
    read: ({ value }, { min = '0001-01-01', max = '9999-12-31' }) =>
      typeof value === 'string' && isDay(value) ? within(value, String(min), String(max)) : undefined,
    operators: comparisons,
  },
  timestamp: {
    ...quoted,
    read: ({ value }) => (typeof value === 'string' ? momentIn(value) : undefined),
    operators: comparisons,
  },
  choice: {
    ...quoted,
    read: ({ value }, { of }) => (typeof value === 'string' && (of as string[]).includes(value) ? value : undefined),
    operators: ['eq', 'ne', 'in'],
  },
  list: {
    read({ value }, declared) {
      const { min = 0, max = 10_000 } = declared;
      if (!Array.isArray(value) || value.length < Number(min) || value.length > Number(max)) return undefined;
      const element = elementOf(declared);
      const values = (value as readonly Node[]).map((one) => kindOf(element).read(one, element));
      return values.includes(undefined) ? undefined : (values as Scalar[]);
    },
    write(value, declared) {
      const element = elementOf(declared);
      return `[${(value as readonly Scalar[]).map((one) => kindOf(element).write(one, element)).join(',')}]`;
    },
    operators: ['has'],
  },
  json: {
    ...written,
    read: ({ text }, { max = 65_536 }) =>
      Buffer.byteLength(text) <= Number(max) && !unstorable.test(text) ? text : undefined,
    operators: [],
  },
  reference: {
    ...written,
    read: ({ value, text }) => (typeof value === 'number' ? within(integerIn(text), 1n, most) : undefined),
    operators: ['eq', 'ne', 'in'],
    order: asNumbers,
  },
};

export function kindOf({ type }: FieldDeclaration): Kind {
  const kind = kinds[type];
  if (kind === undefined) throw new Error(`the model lacks the type ${type}`);
  return kind;
}

export function elementOf({ of }: FieldDeclaration): FieldDeclaration {
  return typeof of === 'string' ? { type: of } : (of as FieldDeclaration);
}

/** A value in a query. Bounds are for records only. */
export function operandIn(text: string, declared: FieldDeclaration): Value | undefined {
  const { type, scale = 0, of = [] } = declared;
  if (type === 'list') return operandIn(text, elementOf(declared));
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : undefined);
  if (type === 'timestamp' && isDay(text)) return `${text}T00:00:00.000Z`;
  const isNumber = ['integer', 'number', 'reference'].includes(type);
  if (isNumber && !numeral.test(text)) return undefined;
  const node = { text, value: isNumber ? Number(text) : text };
  return (
    kindOf(declared).read(node, { type: type === 'reference' ? 'integer' : type, scale, of }) ?? negativeId(type, text)
  );
}

/** A query may ask for ids that no record can have. */
const negativeId = (type: string, text: string) => (type === 'reference' ? integerIn(text) : undefined);

/** A value of a query in JSON: of the kind that a record has. */
export function operandOf({ text, value }: Node, declared: FieldDeclaration): Value | undefined {
  const { type } = declared.type === 'list' ? elementOf(declared) : declared;
  const isNumber = ['integer', 'number', 'reference'].includes(type);
  const kind = isNumber ? 'number' : type === 'boolean' ? 'boolean' : 'string';
  return typeof value === kind ? operandIn(kind === 'string' ? String(value) : text, declared) : undefined;
}

/** A comparison with null is not true. */
export function matches(
  operator: string,
  value: Value | null,
  operands: readonly (Value | null)[],
  declared: FieldDeclaration,
): boolean {
  if (operator === 'is') return (value === null) === (operands[0] === 'null');
  const [first = null] = operands;
  if (value === null || first === null) return false;
  // The flags i and u stand for Unicode's simple case folding.
  if (operator === 'eq_ci') return new RegExp(`^${RegExp.escape(String(first))}$`, 'iu').test(String(value));
  if (operator === 'contains_ci') return new RegExp(RegExp.escape(String(first)), 'iu').test(String(value));
  if (operator === 'words') return hasWords(String(first), [String(value)]);
  if (operator === 'contains') return String(value).includes(String(first));
  if (operator === 'starts_with') return String(value).startsWith(String(first));
  if (operator === 'has') {
    const element = elementOf(declared);
    const spelled = (one: Value) => kindOf(element).write(one === 0 ? 0 : one, element);
    return (value as readonly Scalar[]).some((one) => spelled(one) === spelled(first));
  }
  const { order = asBytes } = kindOf(declared);
  if (operator === 'in') return operands.some((one) => one !== null && order(value, one) === 0);
  const sign = order(value, first);
  return (
    { eq: sign === 0, ne: sign !== 0, gt: sign > 0, gte: sign >= 0, lt: sign < 0, lte: sign <= 0 }[operator] ?? false
  );
}

/** The operators that a field has in a query. */
export const operatorsOf = (declared: FieldDeclaration) => [
  ...kindOf(declared).operators,
  ...(declared.search ? ['words'] : []),
  ...(declared.optional ? ['is'] : []),
];
