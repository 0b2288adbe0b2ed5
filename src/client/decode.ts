/** Reads records by the declarations of their fields. */
import { digitsOf, restored } from './digits.ts';

export type FieldDeclaration = {
  readonly type: string;
  readonly of?: string | FieldDeclaration;
  readonly to?: string;
};

/** The collections by name. */
export type Known = ReadonlyMap<string, RecordReader>;

/** The value in place of what was parsed; undefined if the field is of another type. */
type Read = (value: unknown) => unknown;

type RecordReader = {
  readonly singular: string;
  readonly fields: ReadonlyMap<string, Read>;
  /** The fields that have to be read even if no number is marked. */
  readonly integers: readonly (readonly [field: string, read: Read])[];
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
  const digits = digitsOf(value);
  if (digits !== undefined) return /^-?\d+$/.test(digits) ? BigInt(digits) : undefined;
  return Number.isInteger(value) ? BigInt(value as number) : undefined;
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
  (value) => {
    if (!Array.isArray(value)) return undefined;
    const read = value.map(element);
    return read.includes(undefined) ? undefined : read;
  };

const reads: Readonly<Record<string, Read>> = {
  integer,
  number: double,
  reference: double,
  text,
  decimal: text,
  date: text,
  timestamp: text,
  choice: text,
  boolean,
};

/** A type that the client does not know is read as any JSON. */
function readOf({ type, of = 'json' }: FieldDeclaration): Read {
  if (type === 'list') return list(readOf(typeof of === 'string' ? { type: of } : of));
  return reads[type] ?? restored;
}

function hasIntegers({ type, of = '' }: FieldDeclaration): boolean {
  return type === 'integer' || (type === 'list' && hasIntegers(typeof of === 'string' ? { type: of } : of));
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
  return {
    singular,
    fields: new Map(all.map(([name, field]) => [name, readOf(field)])),
    integers: all.filter(([, field]) => hasIntegers(field)).map(([name, field]) => [name, readOf(field)]),
    references: new Map(all.flatMap(([name, { to }]) => (to === undefined ? [] : [[name, to]]))),
  };
}

type Row = Record<string, unknown>;

export class Decoder {
  constructor(
    readonly known: Known,
    readonly isMarked: boolean,
    /** Fields that may not fit: they are read as any JSON. */
    readonly tolerated: ReadonlySet<string>,
  ) {}

  /** Reads records of one answer in place. They have the same fields, so the first one tells whether they fit. */
  records(collection: string, rows: readonly Row[]): void {
    const reader = this.known.get(collection);
    let isFirst = true;
    for (const row of rows) {
      if (isFirst || this.isMarked || reader === undefined || 'expanded' in row) this.record(collection, row);
      else for (const [field, read] of reader.integers) this.#replace(collection, row, field, read);
      isFirst = false;
    }
  }

  /** Reads a record in place. Throws Stale. */
  record(collection: string, row: Row): void {
    const reader = this.known.get(collection);
    for (const field of Object.keys(row)) {
      if (field === 'expanded') this.#expanded(reader, row.expanded as Readonly<Record<string, Row | null>>);
      else this.#replace(collection, row, field, reader?.fields.get(field));
    }
  }

  #replace(collection: string, row: Row, field: string, read: Read | undefined): void {
    const value = row[field];
    if (value === null || value === undefined) return;
    const known = read?.(value);
    if (known === value) return;
    if (known !== undefined) row[field] = known;
    else if (this.tolerated.has(`${collection}.${field}`)) row[field] = restored(value);
    else throw new StaleError(`${collection}.${field}`);
  }

  #expanded(reader: RecordReader | undefined, expanded: Readonly<Record<string, Row | null>>): void {
    for (const [field, row] of Object.entries(expanded))
      if (row !== null) this.record(reader?.references.get(field) ?? '', row);
  }
}
