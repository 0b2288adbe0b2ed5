/** Reads records by the declarations of their fields. */
import { digitsOf, type Parsed, restored } from './digits.ts';

export type FieldDeclaration = {
  readonly type: string;
  readonly of?: string | FieldDeclaration;
  readonly to?: string;
};

/** The collections by name. */
export type Known = ReadonlyMap<string, RecordReader>;

/** The value in place of what was parsed; undefined if the field is of another type. */
type Read = (value: unknown, parsed: Parsed) => unknown;

type FieldReader = {
  readonly name: string;
  readonly read: Read;
  /** The `typeof` of values that are read as they are, if no number is marked. */
  readonly asIs: string | undefined;
};

export type RecordReader = {
  readonly singular: string;
  /** The declaration. */
  readonly text: string;
  /** The types of fields by their names. */
  readonly types: ReadonlyMap<string, string>;
  /** In the order in which the server writes them. */
  readonly inOrder: readonly FieldReader[];
  readonly fields: ReadonlyMap<string, FieldReader>;
  /** The fields that have to be read in every record, even if no number is marked. */
  readonly numeric: readonly FieldReader[];
  /** The collections that fields refer to. */
  readonly references: ReadonlyMap<string, string>;
};

/** An answer does not fit the declarations that are known. `at` is a collection and a field. */
export type Stale = { readonly at: string };
class StaleError extends Error implements Stale {
  constructor(readonly at: string) {
    super(at);
  }
}
export const isStale = (error: unknown) => error instanceof StaleError;

const integer: Read = (value) => {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  const digits = digitsOf(value);
  return digits !== undefined && /^-?\d+$/.test(digits) ? BigInt(digits) : undefined;
};
const double: Read = (value) => {
  if (typeof value === 'number') return value;
  const digits = digitsOf(value);
  return digits === undefined ? undefined : Number(digits);
};
const text: Read = (value) => (typeof value === 'string' && digitsOf(value) === undefined ? value : undefined);
const boolean: Read = (value) => (typeof value === 'boolean' ? value : undefined);
const list =
  (element: Read): Read =>
  (value, parsed) => {
    if (!Array.isArray(value)) return undefined;
    let copy: unknown[] | undefined;
    for (let at = 0; at < value.length; at++) {
      const one: unknown = value[at];
      const read = element(one, parsed);
      if (read === undefined) return undefined;
      if (read === one) continue;
      copy ??= [...value];
      copy[at] = read;
    }
    return copy ?? value;
  };

type Type = { readonly read: Read; readonly asIs?: string };
const string: Type = { read: text, asIs: 'string' };
const types: Readonly<Record<string, Type>> = {
  integer: { read: integer },
  number: { read: double, asIs: 'number' },
  reference: { read: double, asIs: 'number' },
  text: string,
  decimal: string,
  date: string,
  timestamp: string,
  choice: string,
  boolean: { read: boolean, asIs: 'boolean' },
};

/** A type that the client does not know is read as any JSON. */
function typeOf({ type, of = 'json' }: FieldDeclaration): Type {
  if (type === 'list') return { read: list(typeOf(elementOf(of)).read) };
  return types[type] ?? { read: restored };
}

const elementOf = (of: string | FieldDeclaration) => (typeof of === 'string' ? { type: of } : of);

/** Whether a number in it is a `bigint`, or may have more digits than a double. */
function isNumeric({ type, of = 'json' }: FieldDeclaration): boolean {
  return type === 'list' ? isNumeric(elementOf(of)) : types[type]?.asIs === undefined;
}

export function readerOf({
  singular,
  contract,
  fields,
}: {
  readonly singular: string;
  readonly contract?: boolean;
  readonly fields: Readonly<Record<string, FieldDeclaration>>;
}): RecordReader {
  const all: [string, FieldDeclaration][] = [
    ['id', { type: 'number' }],
    ...(contract === true ? [['external_id', { type: 'integer' }] as [string, FieldDeclaration]] : []),
    ...Object.entries(fields),
    ['version', { type: 'number' }],
    ['created_at', { type: 'text' }],
    ['updated_at', { type: 'text' }],
  ];
  const readers = all.map(([name, field]) => ({
    name,
    asIs: undefined,
    ...typeOf(field),
    isNumeric: isNumeric(field),
  }));
  return {
    singular,
    text: JSON.stringify(all),
    types: new Map(all.map(([name, { type }]) => [name, type])),
    inOrder: readers,
    fields: new Map(readers.map((field) => [field.name, field])),
    numeric: readers.filter((field) => field.isNumeric),
    references: new Map(all.flatMap(([name, { to }]) => (to === undefined ? [] : [[name, to]]))),
  };
}

/** A part of a day, or a measure of a field. Averages of integers and decimals are text. */
function measureOf(name: string | undefined, ofField: Read | undefined): Read | undefined {
  switch (name) {
    case 'sum':
    case 'min':
    case 'max':
      return ofField;
    case 'avg':
      return (value, parsed) => text(value, parsed) ?? double(value, parsed);
    case undefined:
    case 'distinct':
    case 'year':
      return double;
    default:
      return text;
  }
}

type Row = Record<string, unknown>;

export class Decoder {
  constructor(
    readonly parsed: Parsed,
    readonly known: Known,
    /** Fields that may not fit: they are read as any JSON. */
    readonly tolerated: ReadonlySet<string>,
  ) {}

  /** Reads records of one answer in place. They have the same fields, so the first one tells whether they fit. */
  records(collection: string, rows: readonly Row[]): void {
    const [first] = rows;
    if (first === undefined) return;
    const reader = this.known.get(collection);
    const numeric = this.parsed.isMarked || 'expanded' in first ? undefined : reader?.numeric;
    this.record(collection, first);
    if (numeric === undefined) for (const row of rows.slice(1)) this.record(collection, row);
    else for (const field of numeric) this.#column(collection, rows, field);
  }

  /** Reads the rows of a summary in place. `groups` are the names of those that are no measures. Throws Stale. */
  summary(collection: string, rows: readonly Row[], groups: readonly string[]): void {
    const fields = this.known.get(collection)?.fields;
    const [first = {}] = rows;
    const readers = Object.keys(first).map((name) => {
      const [key = '', part] = name.split('.');
      return [
        name,
        part === undefined && groups.includes(name) ? fields?.get(key)?.read : measureOf(part, fields?.get(key)?.read),
      ] as const;
    });
    for (const row of rows) for (const [name, read] of readers) this.#replace(collection, row, name, row[name], read);
  }

  /** Reads a record in place. Throws Stale. */
  record(collection: string, row: Row): void {
    const reader = this.known.get(collection);
    const { isMarked } = this.parsed;
    const names = Object.keys(row);
    const values = Object.values(row);
    // An iterator over entries would take as long as all the rest.
    for (let at = 0; at < names.length; at++) {
      const name = names[at] as string;
      const value = values[at];
      let field = reader?.inOrder[at];
      if (field?.name !== name) field = reader?.fields.get(name);
      if (!isMarked && typeof value === field?.asIs) continue;
      if (name === 'expanded') this.#expanded(reader, value as Readonly<Record<string, Row | null>>);
      else this.#replace(collection, row, name, value, field?.read);
    }
  }

  /** Reads a field of all records behind the first. */
  #column(collection: string, rows: readonly Row[], { name, read }: FieldReader): void {
    for (let at = 1; at < rows.length; at++) {
      const row = rows[at] as Row;
      this.#replace(collection, row, name, row[name], read);
    }
  }

  #replace(collection: string, row: Row, name: string, value: unknown, read: Read | undefined): void {
    if (value === null || value === undefined) return;
    const known = read?.(value, this.parsed);
    if (known === value) return;
    if (known !== undefined) row[name] = known;
    else if (this.tolerated.has(`${collection}.${name}`)) row[name] = restored(value, this.parsed);
    else throw new StaleError(`${collection}.${name}`);
  }

  #expanded(reader: RecordReader | undefined, expanded: Readonly<Record<string, Row | null>>): void {
    for (const [field, row] of Object.entries(expanded))
      if (row !== null) this.record(reader?.references.get(field) ?? '', row);
  }
}
