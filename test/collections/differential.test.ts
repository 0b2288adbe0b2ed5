/**
 * Random collections, random writes, random queries and random evolutions: every engine answers byte for byte like the
 * others, and like a plain model in memory, which shares no code with the service. A failure prints the seed, the file and
 * all requests. DIFFERENTIAL_RUNS and DIFFERENTIAL_SEED repeat or prolong a run.
 */
import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import fc from 'fast-check';
import type { CollectionDeclaration, FieldDeclaration, Plain } from '../../src/domain/record/declaration.ts';
import { declared } from '../support/data/library.ts';
import { Random } from '../support/data/random.ts';
import { type EngineUnderTest, emptyEngines, lastingEngines } from '../support/servers/engines.ts';
import { migrate } from '../support/servers/migrate.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

type File = Readonly<Record<string, CollectionDeclaration>>;
type Fields = Readonly<Record<string, FieldDeclaration>>;

// ---- JSON, with every digit and in the order that was sent.

/** `text` has no white space between its parts; of two members with one name, `value` has the last. */
type Node = {
  readonly text: string;
  readonly value: string | number | boolean | null | readonly Node[] | ReadonlyMap<string, Node>;
};

const token =
  /[ \t\n\r]*([{}[\],:]|"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/uy;

/** Undefined if the text is not JSON. */
function parsed(text: string): Node | undefined {
  const tokens: string[] = [];
  token.lastIndex = 0;
  let end = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    tokens.push(found[1] ?? '');
    end = token.lastIndex;
  }
  if (text.slice(end).trim() !== '') return undefined;
  let at = 0;
  const take = (expected: string) => tokens[at] === expected && at++ >= 0;

  function many<Part>(close: string, part: () => Part | undefined): Part[] | undefined {
    const parts: Part[] = [];
    if (take(close)) return parts;
    do {
      const one = part();
      if (one === undefined) return undefined;
      parts.push(one);
    } while (take(','));
    return take(close) ? parts : undefined;
  }

  function member(): readonly [raw: string, key: string, node: Node] | undefined {
    const raw = tokens[at++] ?? '';
    if (!raw.startsWith('"') || !take(':')) return undefined;
    const node = value();
    return node && [raw, JSON.parse(raw), node];
  }

  function value(): Node | undefined {
    if (take('[')) {
      const list = many(']', value);
      return list && { text: `[${list.map((one) => one.text).join(',')}]`, value: list };
    }
    if (take('{')) {
      const members = many('}', member);
      const whole = members?.map(([raw, , node]) => `${raw}:${node.text}`).join(',');
      return members && { text: `{${whole}}`, value: new Map(members.map(([, key, node]) => [key, node])) };
    }
    const one = tokens[at++] ?? '';
    return /^["\-\dtfn]/.test(one) ? { text: one, value: JSON.parse(one) } : undefined;
  }
  const root = value();
  return at === tokens.length ? root : undefined;
}

// ---- The model of each type.

/** Integers and references are bigint, decimals their digits without the point, JSON its text. */
type Scalar = string | number | bigint | boolean;
type Value = Scalar | readonly Scalar[];

type Kind = {
  /** Undefined if the value is refused. */
  read(node: Node, declared: FieldDeclaration): Value | undefined;
  write(value: Value, declared: FieldDeclaration): string;
  readonly operators: readonly string[];
  /** Absent if there is no order. */
  order?(one: Value, other: Value): number;
};

const comparisons = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in'];
const numeral = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];
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

function withPoint(value: bigint, scale: number): string {
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

const kinds: Readonly<Record<string, Kind>> = {
  text: {
    ...quoted,
    read({ value }, { min = 0, max = Number.POSITIVE_INFINITY, pattern = '' }) {
      if (typeof value !== 'string' || !value.isWellFormed() || value.includes('\0')) return undefined;
      const { length } = [...value];
      return length >= Number(min) && length <= Number(max) && new RegExp(pattern, 'u').test(value) ? value : undefined;
    },
    operators: [...comparisons, 'contains', 'starts_with'],
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

function kindOf({ type }: FieldDeclaration): Kind {
  const kind = kinds[type];
  if (kind === undefined) throw new Error(`the model lacks the type ${type}`);
  return kind;
}

function elementOf({ of }: FieldDeclaration): FieldDeclaration {
  return typeof of === 'string' ? { type: of } : (of as FieldDeclaration);
}

/** A value in a query. Bounds are for records only. */
function operandIn(text: string, declared: FieldDeclaration): Value | undefined {
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

function matches(operator: string, value: Value | null, texts: readonly string[], declared: FieldDeclaration): boolean {
  if (operator === 'is') return (value === null) === (texts[0] === 'null');
  if (value === null) return false;
  const operands = texts.map((text) => operandIn(text, declared) ?? '');
  const [first = ''] = operands;
  if (operator === 'contains') return String(value).includes(String(first));
  if (operator === 'starts_with') return String(value).startsWith(String(first));
  if (operator === 'has') {
    const element = elementOf(declared);
    const spelled = (one: Value) => kindOf(element).write(one === 0 ? 0 : one, element);
    return (value as readonly Scalar[]).some((one) => spelled(one) === spelled(first));
  }
  const { order = asBytes } = kindOf(declared);
  if (operator === 'in') return operands.some((one) => order(value, one) === 0);
  const sign = order(value, first);
  return (
    { eq: sign === 0, ne: sign !== 0, gt: sign > 0, gte: sign >= 0, lt: sign < 0, lte: sign <= 0 }[operator] ?? false
  );
}

// ---- The model of a service.

type Row = { id: number; version: number; values: Map<string, Value | null> };
type Table = { last: number; readonly rows: Map<number, Row> };
type Values = ReadonlyMap<string, Value | null>;
type Problem = { readonly type: string; readonly errors?: readonly { pointer: string; line?: number }[] } & Record<
  string,
  unknown
>;

/** `text` is the whole answer; of a failure the model knows only the type and some facts. */
type Expected = {
  readonly status: number;
  readonly text?: string;
  readonly tag?: string;
  readonly types?: readonly string[];
  readonly facts?: (problem: Problem) => boolean;
};
type Clash = { readonly field: string; readonly type: string; readonly by?: number };
type Query = {
  readonly filters: readonly (readonly [field: string, operator: string, text: string])[];
  readonly sort: readonly string[];
  readonly fields: readonly string[] | undefined;
  readonly expand: readonly string[];
};

const integer: FieldDeclaration = { type: 'integer' };
const failed = (status: number, ...types: string[]): Expected => ({ status, types });
const notFound = failed(404, 'not-found');
const invalidQuery = failed(400, 'invalid-query');

class Model {
  readonly tables = new Map<string, Table>();
  readonly feed: string[] = [];
  file: File = {};

  constructor(file: File) {
    this.evolve(file);
  }

  /** New fields get their default, or null. */
  evolve(file: File): void {
    this.file = file;
    for (const name of Object.keys(file)) {
      const table = this.table(name);
      this.tables.set(name, table);
      for (const row of table.rows.values()) {
        const kept = Object.entries(this.fieldsOf(name)).map(
          ([key, one]) => [key, row.values.get(key) ?? (row.values.has(key) ? null : (presetOf(one) ?? null))] as const,
        );
        row.values = new Map(kept);
      }
    }
  }

  table(name: string): Table {
    return this.tables.get(name) ?? { last: 0, rows: new Map() };
  }

  /** The fields that a body may have. */
  fieldsOf(name: string): Fields {
    const { fields = {}, contract } = this.file[name] ?? {};
    return contract ? { external_id: integer, ...fields } : fields;
  }

  columnsOf(name: string): Fields {
    const moment = { type: 'timestamp' };
    return { id: integer, ...this.fieldsOf(name), version: integer, created_at: moment, updated_at: moment };
  }

  /** The record as JSON, with a placeholder for times. */
  textOf(name: string, row: Row, only?: readonly string[]): string {
    const values = new Map<string, Value | null>([
      ['id', BigInt(row.id)],
      ...row.values,
      ['version', BigInt(row.version)],
    ]);
    const members = Object.entries(this.columnsOf(name))
      .filter(([key]) => only?.includes(key) ?? true)
      .map(([key, one]) => {
        const value = values.get(key);
        const text = value === undefined ? '"-"' : value === null ? 'null' : kindOf(one).write(value, one);
        return `"${key}":${text}`;
      });
    return `{${members.join(',')}}`;
  }

  /** The fields of a body; the type of the failure if it is refused. */
  read(name: string, body: string, isPatch: boolean, ignored: readonly string[] = []): Values | string {
    const node = parsed(body);
    if (node === undefined) return 'malformed-json';
    if (!(node.value instanceof Map)) return 'invalid-body';
    const fields = this.fieldsOf(name);
    const sent: ReadonlyMap<string, Node> = node.value;
    if ([...sent.keys()].some((key) => !Object.hasOwn(fields, key) && !ignored.includes(key))) return 'invalid-body';
    const values = new Map<string, Value | null>();
    for (const [key, one] of Object.entries(fields)) {
      const given = sent.get(key);
      // The contract's id is the id, or stays.
      if (given === undefined && (isPatch || (key === 'external_id' && one === integer))) continue;
      const isNull = given === undefined || given.value === null;
      const value = given === undefined ? presetOf(one) : isNull ? undefined : kindOf(one).read(given, one);
      if (value === undefined && !(isNull && one.optional)) return 'invalid-body';
      values.set(key, value ?? null);
    }
    return values;
  }

  clashes(name: string, values: Values, id: number): Clash[] {
    const rows = [...this.table(name).rows.values()];
    return [...values].flatMap(([field, value]): Clash[] => {
      const one = this.fieldsOf(name)[field];
      if (value === null || one === undefined) return [];
      const holder = one.unique ? rows.find((row) => row.id !== id && row.values.get(field) === value) : undefined;
      if (holder !== undefined) return [{ field, type: 'already-exists', by: holder.id }];
      const isMissing = one.to !== undefined && !this.table(one.to).rows.has(Number(value));
      return isMissing ? [{ field, type: 'reference-missing' }] : [];
    });
  }

  /** Changes the tables, and adds the change to the feed. */
  put(name: string, type: 'created' | 'updated' | 'deleted', row: Row): void {
    const table = this.table(name);
    if (type === 'deleted') table.rows.delete(row.id);
    else table.rows.set(row.id, row);
    table.last = Math.max(table.last, row.id);
    const { singular } = this.file[name] ?? {};
    this.feed.push(
      `{"seq":${this.feed.length + 1},"type":"${singular}.${type}","at":"-","by":null,"record":${this.textOf(name, row)}}`,
    );
  }

  add(name: string, values: Values): Row {
    const id = this.table(name).last + 1;
    const all = Object.keys(this.fieldsOf(name)).map((key) => [key, values.get(key) ?? null] as const);
    const row = { id, version: 1, values: new Map(all) };
    if (this.file[name]?.contract && !values.has('external_id')) row.values.set('external_id', BigInt(id));
    this.put(name, 'created', row);
    return row;
  }

  create(name: string, body: string): Expected {
    const values = this.read(name, body, false);
    if (typeof values === 'string') return failed(400, values);
    const clashes = this.clashes(name, values, 0);
    if (clashes.length > 0) return clashed(clashes);
    return { status: 201, tag: '"1"', text: this.textOf(name, this.add(name, values)) };
  }

  update(name: string, id: number, body: string, isPatch: boolean, version: number | undefined): Expected {
    const values = this.read(name, body, isPatch);
    if (typeof values === 'string') return failed(400, values);
    const row = this.table(name).rows.get(id);
    if (row === undefined) return notFound;
    if (version !== undefined && version !== row.version) return failed(412, 'precondition-failed');
    const clashes = this.clashes(name, values, id);
    if (clashes.length > 0) return clashed(clashes);
    const now = { id, version: row.version + 1, values: new Map([...row.values, ...values]) };
    this.put(name, 'updated', now);
    return { status: 200, tag: `"${now.version}"`, text: this.textOf(name, now) };
  }

  /** `isUndone`: PostgreSQL may have given out numbers before it undid the bulk. */
  bulk(name: string, body: string): Expected & { readonly isUndone?: true } {
    const lines = body.split('\n').map((text, index) => ({ text, line: index + 1 }));
    const read = lines
      .filter(({ text }) => text.trim() !== '')
      .map(({ text, line }) => ({ line, values: this.read(name, text, false, ['id', 'version']) }));
    const wrong = read.find(({ values }) => typeof values === 'string');
    if (read.length === 0) return failed(400, 'malformed-json');
    if (wrong !== undefined) return failed(400, String(wrong.values));
    const table = this.table(name);
    const before = { last: table.last, rows: new Map(table.rows), changes: this.feed.length };
    const found = read.flatMap(({ line, values }) => {
      const clashes = this.clashes(name, values as Values, 0);
      if (clashes.length === 0) this.add(name, values as Values);
      return clashes.map((clash) => ({ ...clash, line }));
    });
    const created = table.last - before.last;
    if (found.length === 0)
      return { status: 201, text: `{"created":${created},"first_id":${before.last + 1},"last_id":${table.last}}` };
    this.feed.length = before.changes;
    this.tables.set(name, before);
    return { ...clashed(found), isUndone: true };
  }

  /** The fields that refer to a collection, in the order of collections and fields. */
  dependents(to: string, onDelete: string) {
    return Object.entries(this.file).flatMap(([name, { fields }]) =>
      Object.entries(fields)
        .filter(([, one]) => one.to === to && (one.on_delete ?? 'restrict') === onDelete)
        .map(([field]) => ({ name, field })),
    );
  }

  /** The records that refer to a record, in the order of their ids. */
  referring(to: string, id: number, onDelete: string) {
    return this.dependents(to, onDelete).flatMap(({ name, field }) =>
      [...this.table(name).rows.values()]
        .filter(({ values }) => values.get(field) === BigInt(id))
        .sort((one, other) => one.id - other.id)
        .map((row) => ({ name, field, id: row.id, key: `${name}/${row.id}` })),
    );
  }

  remove(name: string, id: number, version: number | undefined): Expected {
    const row = this.table(name).rows.get(id);
    if (row === undefined) return notFound;
    if (version !== undefined && version !== row.version) return failed(412, 'precondition-failed');
    const seen = new Set<string>();
    const gone: { name: string; id: number }[] = [];
    const visit = (one: { name: string; id: number }) => {
      if (seen.has(`${one.name}/${one.id}`)) return;
      seen.add(`${one.name}/${one.id}`);
      for (const next of this.referring(one.name, one.id, 'cascade')) visit(next);
      gone.push(one);
    };
    visit({ name, id });
    const left = (onDelete: string) =>
      gone
        .flatMap((one) =>
          this.referring(one.name, one.id, onDelete).map((by) => ({ ...by, of: `${one.name}/${one.id}` })),
        )
        .filter(({ key }) => !seen.has(key));
    const held = Map.groupBy(left('restrict'), (by) => `${by.of} ${by.name} ${by.field}`);
    if (held.size > 0) {
      const facts = ({ collection, count, first_id }: Problem) =>
        [...held.values()].some(
          ([by, ...more]) => by?.name === collection && by?.id === first_id && more.length + 1 === count,
        );
      return { ...failed(409, 'still-referenced'), facts };
    }
    for (const by of left('clear')) {
      const old = this.table(by.name).rows.get(by.id);
      if (old === undefined) continue;
      const values = new Map([...old.values, [by.field, null] as const]);
      this.put(by.name, 'updated', { id: old.id, version: old.version + 1, values });
    }
    for (const one of gone) {
      const old = this.table(one.name).rows.get(one.id);
      if (old !== undefined) this.put(one.name, 'deleted', old);
    }
    return { status: 204, text: '' };
  }

  /** Paths that can be expanded. */
  paths(name: string, levels = 2): string[] {
    return Object.entries(this.fieldsOf(name)).flatMap(([field, { to }]) =>
      to === undefined || levels === 0 ? [] : [field, ...this.paths(to, levels - 1).map((path) => `${field}.${path}`)],
    );
  }

  expanded(name: string, row: Row, paths: readonly string[], only?: readonly string[]): string {
    const text = this.textOf(name, row, only);
    if (paths.length === 0) return text;
    const byField = Map.groupBy(paths, (path) => path.split('.')[0] ?? '');
    const members = [...byField].map(([field, some]) => {
      const { to = '' } = this.fieldsOf(name)[field] ?? {};
      const target = this.table(to).rows.get(Number(row.values.get(field) ?? 0));
      const inner = some.flatMap((path) => (path.includes('.') ? [path.slice(field.length + 1)] : []));
      return `"${field}":${target === undefined ? 'null' : this.expanded(to, target, inner)}`;
    });
    return `${text.slice(0, -1)},"expanded":{${members.join(',')}}}`;
  }

  get(name: string, id: number, expand: readonly string[]): Expected {
    const row = this.table(name).rows.get(id);
    if (row === undefined) return notFound;
    if (expand.some((path) => !this.paths(name).includes(path))) return invalidQuery;
    const text = this.expanded(name, row, expand);
    return { status: 200, text, ...(expand.length === 0 ? { tag: `"${row.version}"` } : {}) };
  }

  /** The records that a query finds, in their order; undefined if it is refused. */
  select(name: string, { filters, sort, fields, expand }: Query): Row[] | undefined {
    const columns = this.columnsOf(name);
    const valueIn = ({ id, version, values }: Row, key: string) =>
      key === 'id' ? BigInt(id) : key === 'version' ? BigInt(version) : (values.get(key) ?? null);
    const conditions = new Map<string, { field: string; operator: string; texts: string[] }>();
    for (const [at, [field, operator, text]] of filters.entries()) {
      // `in` may be repeated instead of using commas.
      const key = operator === 'in' ? field : String(at);
      const texts = [...(conditions.get(key)?.texts ?? []), ...(operator === 'in' ? text.split(',') : [text])];
      conditions.set(key, { field, operator, texts });
    }
    const isRight = ({ field, operator, texts }: { field: string; operator: string; texts: readonly string[] }) => {
      const one = columns[field] ?? integer;
      if (operator === 'is') return one.optional === true && texts.every((text) => ['null', 'set'].includes(text));
      return kindOf(one).operators.includes(operator) && texts.every((text) => operandIn(text, one) !== undefined);
    };
    if (![...conditions.values()].every(isRight)) return undefined;
    const orders = sort.map((key) => {
      const field = key.replace('-', '');
      const order = columns[field] === undefined ? undefined : kindOf(columns[field]).order;
      return { field, sign: key.startsWith('-') ? -1 : 1, order };
    });
    if (orders.some(({ order }) => order === undefined)) return undefined;
    if (fields?.some((key) => columns[key] === undefined)) return undefined;
    if (expand.some((path) => !this.paths(name).includes(path))) return undefined;
    return [...this.table(name).rows.values()]
      .filter((row) =>
        [...conditions.values()].every(({ field, operator, texts }) =>
          matches(operator, valueIn(row, field), texts, columns[field] ?? integer),
        ),
      )
      .sort((one, other) => {
        for (const { field, sign, order } of orders) {
          const [first, second] = [valueIn(one, field), valueIn(other, field)];
          if (first === null && second === null) continue;
          // Null is last in both directions.
          if (first === null || second === null) return first === null ? 1 : -1;
          const found = sign * (order?.(first, second) ?? 0);
          if (found !== 0) return found;
        }
        return one.id - other.id;
      });
  }
}

/** The default, as a body would have it. */
function presetOf(declared: FieldDeclaration): Value | undefined {
  if (declared.default === undefined || declared.default === null) return undefined;
  const node = parsed(jsonOf(declared.default));
  return node && kindOf(declared).read(node, declared);
}

function jsonOf(plain: Plain): string {
  if (typeof plain === 'bigint') return String(plain);
  if (Array.isArray(plain)) return `[${plain.map(jsonOf).join(',')}]`;
  return Object.is(plain, -0) ? '-0' : JSON.stringify(plain);
}

function clashed(clashes: readonly (Clash & { readonly line?: number })[]): Expected {
  const first = clashes.filter(({ line }) => line === clashes[0]?.line);
  const facts = ({ type, id, errors = [] }: Problem) => {
    const told = errors.map(({ pointer, line }) => `${pointer} ${line}`).sort();
    const known = clashes.map(({ field, line }) => `#/${field} ${line}`).sort();
    const isHolder = !type.endsWith('already-exists') || id === undefined || first.some(({ by }) => by === id);
    return Bun.deepEquals(told, known) && isHolder;
  };
  return { ...failed(409, ...first.map(({ type }) => type)), facts };
}

// ---- Random files, bodies and queries.

/** Found by fast-check; everything else is from lists of edge cases. */
type Extras = { readonly texts: readonly string[]; readonly jsons: readonly string[] };

const edgeTexts = [
  ...['a', 'b', 'ab', 'A', '', 'é', 'e\u0301', 'a"b', "it's", 'a,b', 'line\nbreak', 'cr\r', '\ttab', ' a', 'a ', '%_'],
  ...['=1+1', '+1', '-1', '@x', "'=x", "''-1", "'", '\uff1d1', '\\', 'null', '\u2028', '😀', '😀a', '\u0001', '\uffff'],
  ...['\u{10ffff}', 'x'.repeat(40), 'x'.repeat(41), 'a\0b', '\ud800'],
];
const edges: Readonly<Record<string, readonly string[]>> = {
  integer: [
    ...['0', '1', '7', '-1', '-0', '1.0', '1e2', '10e-1', '100', '9007199254740993', '0.5', '1e400', '123e-1', '1e18'],
    ...['9223372036854775807', '-9223372036854775808', '9223372036854775808', '-9223372036854775809'],
    ...['1.00000000000000001', '9007199254740993.0', '-9007199254740993e0'],
  ],
  number: [
    ...['0', '1', '-0', '0.1', '-1.5', '1e-7', '1e16', '1e21', '123456789012345680', '12345678901234567890', '1E5'],
    ...['5e-324', '1.7976931348623157e308', '0.30000000000000004', '0.1e1', '1e400', '-1e400', '100.25'],
  ],
  boolean: ['true', 'false'],
  date: [
    '2026-11-15',
    '2024-02-29',
    '0001-01-01',
    '9999-12-31',
    '1969-12-31',
    '2023-02-29',
    '0000-01-01',
    '2026-1-1',
  ].map((day) => `"${day}"`),
  timestamp: [
    ...['2026-11-15T09:30:00Z', '2026-11-15T10:30:00.000+01:00', '2026-11-15t09:30:00.1z', '1969-12-31T23:59:59.999Z'],
    ...[
      '2026-11-15T09:30:00.123456789-23:59',
      '0001-01-01T00:00:00Z',
      '0001-01-01T00:00:00+00:01',
      '2026-02-30T00:00:00Z',
    ],
    ...[
      '9999-12-31T23:59:59.9999Z',
      '9999-12-31T23:59:59-00:01',
      '2026-11-15T24:00:00Z',
      '2026-11-15T25:00:00Z',
      '2026-11-15',
      '2026-11-15T09:30:60Z',
    ],
  ].map((moment) => `"${moment}"`),
  json: [
    ...['{}', '{"b":1.50,"a":[1e2, 12345678901234567890],"b":null}', ' [ 1 , "a b" ] ', '"\\u0041\\n"', '-0', '1E400'],
    ...['0.10', '"=1"', '-1.5', `"'"`, '{"a" : {"a":1,"a":2}}', '"😀"', '"a\\/b"', 'false', '0', '""', '[[],{}]'],
    ...['{"__proto__":1,"":[]}', '"\\ud83d\\ude00"', '"\u2028"'],
    ...['"a\\u0000"', '{"\\u0000":1}', '["\\ud83d"]', '"\\ude00\\ud83d"'],
  ],
  reference: ['1', '2', '1.0', '2e0', '999', '0', '-1', '9223372036854775807', '9223372036854775808', '"1"'],
};
const anything = ['null', '1', '-1.5', '"x"', '""', 'true', '[]', '{}', '[null]', '["x",1]', '[[1]]'];
const presets = ['{}', '[]', '{"a":[1,"x"]}', '"text"', 'true', '0', '-1.5'];
const scalars = ['text', 'integer', 'number', 'decimal', 'boolean', 'date', 'timestamp', 'choice'];
const operators = [...comparisons, 'contains', 'starts_with', 'has', 'is', 'like'];
/** Parameters of lists, words of SQL, and names that a careless engine would use itself. */
const fieldNames = [
  ...['limit', 'sort', 'fields', 'count', 'cursor', 'expand', 'order', 'select', 'record', 'text', 'row'],
  ...['external_id', 'user', 'collection', 'from', 'old', 'seq_', 'index', 'changes', 'name', 'a', 'b2'],
  ...['value', 'key', 'type', 'json', 'rowid', 'oid', 'new'],
];

/** Makes what one step needs from one seed. */
class Maker {
  constructor(
    readonly random: Random,
    readonly extras: Extras,
    readonly model: Model | undefined,
  ) {}

  /** JSON of about this type, right or wrong. */
  any(declared: FieldDeclaration): string {
    const { random, extras } = this;
    const { type, scale = 0, of, to = '' } = declared;
    if (random.chance(0.1)) return random.pick(anything);
    if (type === 'text') return this.#spelled(random.pick([...edgeTexts, ...extras.texts]));
    if (type === 'choice')
      return this.#spelled(random.chance(0.9) ? random.pick(of as string[]) : random.pick(edgeTexts));
    if (type === 'json') {
      // Longer than what is parsed on the thread of the request.
      if (random.chance(0.02)) return `"${'long '.repeat(7000)}"`;
      return random.pick([...(edges.json ?? []), ...extras.jsons]);
    }
    if (type === 'decimal') {
      const tiny = withPoint(random.pick([1n, -1n, 15n]), scale);
      const bounds = [most, least, most - 1n].map((value) => withPoint(value, scale));
      const beyond = [withPoint(most + 1n, scale), `${tiny}1`, `0.${'0'.repeat(scale)}1`, '1e5', '+1', '.5', '1.', ''];
      return JSON.stringify(random.pick(['0', '-0', '1', '1.5', '-1.5', '007.5', '12.30', tiny, ...bounds, ...beyond]));
    }
    if (type === 'list') {
      const element = elementOf(declared);
      const count = random.pick([0, 1, 2, 3, 4]);
      const isRight = random.chance(0.8);
      const elements = Array.from({ length: count }, () => (isRight ? this.right(element) : this.any(element)));
      return `[${elements.join(random.pick([',', ' , ']))}]`;
    }
    const ids = [...(this.model?.table(to).rows.keys() ?? [])];
    if (type === 'reference' && ids.length > 0 && random.chance(0.85)) return String(random.pick(ids));
    return random.pick(edges[type] ?? anything);
  }

  /** JSON that the type accepts. */
  right(declared: FieldDeclaration): string {
    for (let tries = 0; tries < 60; tries++) {
      const text = this.any(declared);
      const node = parsed(text);
      if (node !== undefined && node.value !== null && kindOf(declared).read(node, declared) !== undefined) return text;
    }
    throw new Error(`no value found for ${JSON.stringify(declared)}`);
  }

  /** The same text with other escapes. */
  #spelled(text: string): string {
    if (this.random.chance(0.8)) return JSON.stringify(text);
    const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, '0'));
    return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
  }

  #options(type: string): Partial<FieldDeclaration> {
    const { random } = this;
    const some = <Name extends string>(name: Name, chance: number, ...values: Plain[]) =>
      random.chance(chance) ? { [name]: random.pick(values) } : {};
    switch (type) {
      case 'text':
        return {
          ...some('min', 0.2, 1, 2),
          // Three texts of an index have at most 500 characters together.
          ...some('max', 0.6, 5, 40, 150),
          ...some('pattern', 0.2, '^[^x]*$', '\\p{L}', '^.?.?.?$'),
        };
      case 'integer':
        return { ...some('min', 0.3, 0, -5, '-9223372036854775807'), ...some('max', 0.3, 100, 9007199254740993n) };
      case 'number':
        return { ...some('min', 0.3, -1.5, 0, -1e21), ...some('max', 0.3, 100.5, 1e16, 1e300) };
      case 'decimal': {
        const scale = random.below(10);
        return { scale, ...some('min', 0.3, '0', '-1'), ...some('max', 0.3, '2', withPoint(most, scale)) };
      }
      case 'date':
        return { ...some('min', 0.3, '1969-12-31', '0001-01-01'), ...some('max', 0.3, '2026-11-15', '9999-12-30') };
      case 'choice':
        return { of: random.pick([['a'], ['b', 'a', 'B'], ["it's", 'a,b', '"q"', '=x', '😀', ' a']]) };
      case 'list': {
        const element = random.pick(scalars);
        const isShort = !['decimal', 'choice'].includes(element) && random.chance(0.5);
        const of = isShort ? element : { type: element, ...this.#options(element) };
        return { of: of as Plain, ...some('min', 0.2, 1), ...some('max', 0.3, 2, 3) };
      }
      case 'json':
        return some('max', 0.2, 20, 100);
      default:
        return {};
    }
  }

  /** A field of the collection at this place among `names`; `isNew` if records without it are there already. */
  field(at: number, names: readonly string[], isNew = false): FieldDeclaration {
    const { random } = this;
    // Text and lists have the most operators.
    const type = random.pick([...Object.keys(kinds), 'text', 'text', 'list']);
    let declared: FieldDeclaration = { type, ...this.#options(type) };
    if (random.chance(0.5)) declared = { ...declared, optional: true };
    if (type === 'reference') declared = this.reference(at, random.below(names.length), names, isNew);
    if (['text', 'integer', 'decimal', 'date', 'timestamp', 'choice'].includes(type) && random.chance(0.3))
      declared = { ...declared, ...(type === 'text' ? { max: declared.max ?? 40 } : {}), unique: true };
    const isPreset = !declared.unique && type !== 'reference' && random.chance(isNew ? 0.5 : 0.3);
    if (isPreset) declared = { ...declared, default: this.preset(declared) };
    if (isNew && !isPreset) declared = { ...declared, optional: true };
    return random.chance(0.1) ? { ...declared, title: 'A title', description: "What it's for" } : declared;
  }

  /** `at` is the place of the collection that has it, `to` of the one that it refers to. */
  reference(at: number, to: number, names: readonly string[], isNew = false): FieldDeclaration {
    const { random } = this;
    // Cascades lead to earlier collections only, so that there is no cycle.
    const on_delete = random.pick(
      to > at ? (['restrict', 'clear'] as const) : (['restrict', 'clear', 'cascade', 'cascade'] as const),
    );
    const isOptional = isNew || to >= at || on_delete === 'clear' || random.chance(0.5);
    return { type: 'reference', to: names[to] ?? '', on_delete, ...(isOptional ? { optional: true } : {}) };
  }

  preset(declared: FieldDeclaration): Plain {
    if (declared.type === 'json') return JSON.parse(this.random.pick(presets));
    const plain = (node: Node): Plain => {
      if (Array.isArray(node.value)) return node.value.map(plain);
      if (typeof node.value !== 'number' || Number.isSafeInteger(node.value)) return node.value as Plain;
      return /^-?\d+$/.test(node.text) ? BigInt(node.text) : node.value;
    };
    const node = parsed(this.right(declared));
    return node === undefined ? null : plain(node);
  }

  indexes(fields: Fields): (string | string[])[] {
    const short = Object.keys(fields).filter((key) => {
      const { type, max } = fields[key] ?? integer;
      return kinds[type]?.order !== undefined && (type !== 'text' || max !== undefined);
    });
    const lists = Array.from({ length: this.random.below(3) }, () =>
      this.random.shuffled(short).slice(0, 1 + this.random.below(3)),
    ).filter((list) => list.length > 0);
    const different = new Map(lists.map((list) => [list.join(), list]));
    return [...different.values()].map((list) => (list.length === 1 ? (list[0] ?? '') : list));
  }

  body(name: string, isPatch: boolean, isLine = false, isOdd = this.random.chance(0.2)): string {
    const { random } = this;
    const members: string[] = [];
    const space = () =>
      random.chance(0.9) ? '' : random.pick(isLine ? [' ', '\t', ' \r'] : [' ', '\n', '\t', '\r\n ']);
    const add = (key: string, text: string) =>
      members.push(`${space()}${JSON.stringify(key)}${space()}:${space()}${text}${space()}`);
    for (const [key, one] of Object.entries(this.model?.fieldsOf(name) ?? {})) {
      const mayBeAbsent = one.optional || one.default !== undefined || one === integer;
      // There is nothing to refer to, so it would be refused.
      if (one.to !== undefined && one.optional && this.model?.table(one.to).rows.size === 0) continue;
      if (random.chance(isPatch ? 0.6 : mayBeAbsent ? 0.4 : isOdd ? 0.1 : 0)) continue;
      // Of two members with one name, the last counts.
      if (random.chance(0.05)) add(key, this.any(one));
      const isNull = random.chance(one.optional ? 0.2 : isOdd ? 0.1 : 0);
      add(key, isNull ? 'null' : isOdd && random.chance(0.3) ? this.any(one) : this.right(one));
    }
    if (isOdd && random.chance(0.1)) add(random.pick(['nothing', '__proto__', 'id', 'version', 'expanded']), '1');
    const text = `${space()}{${random.chance(0.2) ? random.shuffled(members) : members}}${space()}`;
    if (!isOdd || random.chance(0.9)) return isLine ? text.replaceAll('\n', ' ') : text;
    const broken = [text.slice(0, random.below(text.length)), `${text}x`, '[]', 'null', '"x"', '{"a":01}', '{,}'];
    return random.pick(broken).replaceAll('\n', ' ');
  }

  /** An id that is mostly there, and to which other records often refer. */
  id(name: string): number {
    const referring = this.random.pick(['cascade', 'restrict', 'clear']);
    const used = this.model
      ?.dependents(name, referring)
      .flatMap(({ name: from, field }) =>
        [...(this.model?.table(from).rows.values() ?? [])].flatMap(
          ({ values }) => Number(values.get(field) ?? 0) || [],
        ),
      );
    if (used !== undefined && used.length > 0 && this.random.chance(0.5)) return this.random.pick(used);
    const ids = [...(this.model?.table(name).rows.keys() ?? [])];
    return ids.length > 0 && this.random.chance(0.9) ? this.random.pick(ids) : 1 + this.random.below(20);
  }

  query(name: string, expandable: readonly string[]): Query {
    const { random, model } = this;
    const columns = Object.entries(model?.columnsOf(name) ?? {}).filter(([key]) => !key.endsWith('ed_at'));
    const ordered = columns.filter(([, one]) => kindOf(one).order !== undefined);
    const filters = Array.from({ length: random.pick([0, 1, 1, 1, 2]) }, () => {
      const [field, one] = random.pick(columns);
      const known = [...kindOf(one).operators, ...(one.optional ? ['is'] : [])];
      const operator = random.pick(random.chance(0.05) || known.length === 0 ? operators : known);
      return [field, operator, this.#operand(name, field, one, operator)] as const;
    });
    const sort = Array.from({ length: random.pick([0, 1, 1, 2, 3]) }, () => {
      const [key] = random.pick(random.chance(0.03) ? columns : ordered);
      return `${random.pick(['', '-'])}${key}`;
    });
    const all = [...columns.map(([key]) => key), 'created_at', 'updated_at'];
    const fields = random.chance(0.2) ? random.shuffled(all).slice(0, 1 + random.below(4)) : undefined;
    const expand = random.chance(0.4) ? random.shuffled(expandable).slice(0, 1 + random.below(3)) : [];
    return { filters, sort, fields, expand };
  }

  #operand(name: string, field: string, declared: FieldDeclaration, operator: string): string {
    const { random, model } = this;
    if (operator === 'is') return random.pick(['null', 'null', 'set', 'set', 'x']);
    if (operator === 'in')
      return Array.from({ length: 1 + random.below(3) }, () => this.#operand(name, field, declared, 'eq')).join(',');
    const rows = [...(model?.table(name).rows.values() ?? [])];
    const stored = rows.length === 0 ? undefined : random.pick(rows).values.get(field);
    const kept =
      stored !== undefined && stored !== null && random.chance(0.7) ? kindOf(declared).write(stored, declared) : '';
    const node = parsed(kept === '' ? this.any(declared) : kept);
    const one = Array.isArray(node?.value) && node.value.length > 0 ? (random.pick(node.value) as Node) : node;
    const text = typeof one?.value === 'string' ? one.value.toWellFormed() : (one?.text ?? '');
    if (!['contains', 'starts_with'].includes(operator)) return [...text].slice(0, 100).join('');
    const part = [...text].slice(0, random.below(3)).join('');
    // What a pattern would read otherwise, and letters of the other case.
    return random.chance(0.6) ? part : random.pick(['%', '_', '\\', 'A', 'B', 'X', 'É', part.toUpperCase()]);
  }
}

function randomFile(shape: readonly (readonly number[])[], seed: number, extras: Extras): File {
  const names = ['alpha', 'beta', 'gamma', 'delta'].slice(0, shape.length);
  return Object.fromEntries(
    shape.map((seeds, at) => {
      const maker = new Maker(new Random(seed + at), extras, undefined);
      const contract = maker.random.chance(0.2);
      const free = maker.random.shuffled(fieldNames).filter((key) => !contract || key !== 'external_id');
      const own = seeds.map((one, index) => {
        const field = new Maker(new Random(one), extras, undefined).field(at, names);
        return [free[index] ?? '', field] as const;
      });
      // Half of what can go wrong is between records.
      const parent = at === 0 ? [] : [['parent', maker.reference(at, maker.random.below(at), names)] as const];
      const fields: Fields = Object.fromEntries(maker.random.shuffled([...own, ...parent]));
      const name = names[at] ?? '';
      const indexes = maker.indexes(fields);
      return [name, { singular: `one_${name}`, fields, ...(contract ? { contract } : {}), indexes }];
    }),
  );
}

/** The same collections after steps that lose nothing. */
function evolved(file: File, seeds: readonly number[], extras: Extras): File {
  return seeds.reduce((before, seed) => oneStep(before, new Maker(new Random(seed), extras, undefined)), file);
}

function oneStep(file: File, maker: Maker): File {
  const { random } = maker;
  const names = Object.keys(file);
  const name = random.pick(names);
  const { fields = {}, ...rest } = file[name] ?? { singular: '' };
  const after = (changed: Fields, more = {}): File => ({ ...file, [name]: { ...rest, ...more, fields: changed } });
  const key = random.pick(Object.keys(fields));
  const one = fields[key] ?? integer;
  switch (random.below(8)) {
    case 0:
      return after(Object.fromEntries(random.shuffled(Object.entries(fields))));
    case 1:
      return after({ ...fields, [key]: { ...one, optional: true } });
    case 2: {
      const { min: _, max, pattern: __, unique, ...wide } = one;
      if (one.type === 'choice')
        return after({
          ...fields,
          [key]: { ...one, of: [...(one.of as string[]), `new ${(one.of as string[]).length}`] },
        });
      const bound = max === undefined ? {} : one.type === 'text' ? { max: 160 } : random.chance(0.5) ? { max } : {};
      const isUnique = unique === true && random.chance(0.7);
      return after({ ...fields, [key]: { ...wide, ...bound, ...(isUnique ? { unique } : {}) } });
    }
    case 3:
      return after(fields, { indexes: maker.indexes(fields) });
    case 4:
      if (names.length < 4)
        return {
          ...file,
          delta: { singular: 'one_delta', fields: { b2: maker.field(names.length, names), a: integer } },
        };
      return after({
        ...fields,
        [key]: one.unique || one.type === 'reference' ? one : { ...one, default: maker.preset(one) },
      });
    default: {
      const added = random.pick(fieldNames.filter((free) => fields[free] === undefined && free !== 'external_id'));
      const entries = Object.entries(fields);
      const field = maker.field(names.indexOf(name), names, true);
      return after(Object.fromEntries(entries.toSpliced(random.below(entries.length + 1), 0, [added, field])));
    }
  }
}

// ---- Requests, to all engines at a time.

type Engine = { readonly name: string; readonly database: string; server: TestServer };
type Answer = { readonly status: number; readonly text: string; readonly tag: string | null };
type Request = {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  /** Replaces times in CSV. */
  readonly comparable?: (text: string) => string;
};

/** How often each status, or type of failure, was answered. */
const seen = new Map<string, number>();

const withoutTimes = (text: string) => text.replaceAll(/"(created_at|updated_at|at)":"[^"]*"/g, '"$1":"-"');
const cursorAtEnd = /"next_cursor":"([^"]*)"(,"total":\d+)?\}$/;

class Engines {
  readonly #asked: string[] = [];

  constructor(
    readonly all: readonly Engine[],
    readonly model: Model,
  ) {}

  static async start(engines: readonly EngineUnderTest[], file: File): Promise<Engines> {
    const starting = engines.map(async ([name, newUrl]) => {
      const database = await newUrl();
      return { name, database, server: await startServer({ database, collections: collectionsOf(file) }) };
    });
    return new Engines(await Promise.all(starting), new Model(file));
  }

  async evolve(file: File): Promise<void> {
    this.#asked.push(`RESTART with ${shown(file)}`);
    await Promise.all(
      this.all.map(async (engine) => {
        await engine.server.stop();
        await migrate(engine.database, collectionsOf(file));
        engine.server = await startServer({ database: engine.database, collections: collectionsOf(file) });
      }),
    );
    this.model.evolve(file);
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map(({ server }) => server.stop()));
  }

  /** What failed, with all that led to it. */
  explain(error: unknown, file: File): Error {
    const message = error instanceof Error ? error.message : String(error);
    return new Error(`${message}\n\n${shown(file)}\n\n${this.#asked.join('\n')}\n`, { cause: error });
  }

  /** Returns the cursor of each engine, if there is one. `path` may depend on the place of the engine. */
  async ask(expected: Expected, path: string | ((at: number) => string), request: Request = {}) {
    const { method = 'GET', body, headers, comparable: cleaned = withoutTimes } = request;
    const target = typeof path === 'string' ? path : path(0);
    this.#asked.push(`${method} ${target} ${body ?? ''}`.slice(0, 5000));
    const answers = await Promise.all(
      this.all.map(async ({ server }, at) => {
        const url = `${server.url}/api/v2/${typeof path === 'string' ? path : path(at)}`;
        const answer = await fetch(url, {
          method,
          headers: { 'Accept-Encoding': 'identity', ...headers },
          ...(body === undefined ? {} : { body }),
        });
        const { status } = answer;
        return { status, text: await answer.text(), tag: answer.headers.get('ETag') };
      }),
    );
    const comparable = answers.map(({ status, text, tag }): Answer => {
      const same = cleaned(text).replace(cursorAtEnd, '"next_cursor":"-"$2}');
      return { status, text: same, tag: expected.tag === undefined ? null : tag };
    });
    const [first = { status: 0, text: '', tag: null }] = comparable;
    const names = this.all.map(({ name }) => name);
    expect(Object.fromEntries(names.map((name, at) => [name, comparable[at]]))).toEqual(
      Object.fromEntries(names.map((name) => [name, first])),
    );
    this.#check(first, expected);
    return { cursors: answers.map(({ text }) => cursorAtEnd.exec(text)?.[1] ?? ''), text: first.text };
  }

  #check({ status, text, tag }: Answer, { types, facts, status: wanted, text: whole, tag: version }: Expected): void {
    const problem: Problem = status >= 400 ? JSON.parse(text) : { type: '' };
    const type = problem.type.replace('/problems/', '');
    seen.set(type || String(status), (seen.get(type || String(status)) ?? 0) + 1);
    const isType = types === undefined ? type === '' : types.includes(type);
    expect({
      status,
      text: whole === undefined ? undefined : text,
      tag: version === undefined ? undefined : tag,
      type: isType ? types : type,
    }).toEqual({ status: wanted, text: whole, tag: version, type: types });
    if (facts?.(problem) === false) throw new Error(`The model does not agree with ${text}`);
  }

  /** PostgreSQL does not give out the numbers again that it gave to an undone bulk; the answers should be comparable. */
  async renumber(name: string): Promise<void> {
    const { database } = this.all.find((engine) => engine.name === 'postgres') ?? {};
    if (database === undefined) return;
    await using sql = new SQL({ url: database, max: 1 });
    for (const [table, last] of [
      [name, this.model.table(name).last],
      ['changes', this.model.feed.length],
    ] as const)
      await sql`select setval(pg_get_serial_sequence(${`"${table}"`}, 'seq'), ${Math.max(last, 1)}, ${last > 0})`;
  }

  /** Every change, in order. */
  async feed(): Promise<void> {
    const all = this.all.map(async ({ server }) => {
      let text = '';
      for (let after = 0; ; ) {
        const page = await (await fetch(`${server.url}/api/v2/changes?limit=1000&after=${after}`)).text();
        const [, data = '', last = ''] = /^\{"data":\[(.*)\],"last":(\d+)\}$/s.exec(page) ?? [];
        if (data === '') return withoutTimes(text).split('\n').slice(1);
        text += `\n${data.replaceAll(/,(?=\{"seq":\d+,"type":")/g, '\n')}`;
        after = Number(last);
      }
    });
    for (const lines of await Promise.all(all)) expect(lines).toEqual(this.model.feed);
  }
}

/** Without the collections of the contract. */
function collectionsOf(file: File) {
  return declared(file).filter(({ name }) => Object.hasOwn(file, name));
}

function shown(file: File): string {
  return JSON.stringify(file, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
}

// ---- One step, from one seed.

async function step(engines: Engines, seed: number, extras: Extras): Promise<void> {
  const { model } = engines;
  const maker = new Maker(new Random(seed), extras, model);
  const { random } = maker;
  const name = random.pick(Object.keys(model.file));
  const kind = random.weighted([
    [8, create],
    [2, replace],
    [4, patch],
    [3, remove],
    [2, bulk],
    [1, again],
    [2, get],
    [10, list],
    [3, exported],
  ]);
  await kind(engines, maker, name);
}

type Step = (engines: Engines, maker: Maker, name: string) => Promise<unknown>;

const ndjson = { 'Content-Type': 'application/x-ndjson' };

const create: Step = (engines, maker, name) => {
  const body = maker.body(name, false);
  return engines.ask(engines.model.create(name, body), name, { method: 'POST', body });
};

const replace: Step = (engines, maker, name) => update(engines, maker, name, false);
const patch: Step = (engines, maker, name) => update(engines, maker, name, true);

function update(engines: Engines, maker: Maker, name: string, isPatch: boolean) {
  const [id, body] = [maker.id(name), maker.body(name, isPatch)];
  const version = maker.random.chance(0.1) ? 1 + maker.random.below(3) : undefined;
  const headers = { 'Content-Type': 'application/json', ...(version && { 'If-Match': `"${version}"` }) };
  const method = isPatch ? 'PATCH' : 'PUT';
  return engines.ask(engines.model.update(name, id, body, isPatch, version), `${name}/${id}`, {
    method,
    body,
    headers,
  });
}

const remove: Step = (engines, maker, name) => {
  const id = maker.id(name);
  const version = maker.random.chance(0.1) ? 1 + maker.random.below(3) : undefined;
  const headers = version === undefined ? {} : { 'If-Match': `"${version}"` };
  return engines.ask(engines.model.remove(name, id, version), `${name}/${id}`, { method: 'DELETE', headers });
};

const bulk: Step = (engines, maker, name) => {
  const lines = Array.from({ length: maker.random.below(5) }, () =>
    maker.random.chance(0.1) ? ' ' : maker.body(name, false, true),
  );
  return addLines(engines, name, lines.join('\n'));
};

async function addLines(engines: Engines, name: string, body: string): Promise<void> {
  const expected = engines.model.bulk(name, body);
  await engines.ask(expected, name, { method: 'POST', body, headers: ndjson });
  if (expected.isUndone) await engines.renumber(name);
}

/** What was exported can be added again, with the same values. */
const again: Step = async (engines, maker, name) => {
  const filters = [['id', 'lte', String(1 + maker.random.below(3))]] as const;
  const own = Object.keys(engines.model.fieldsOf(name));
  const { text } = await whole(engines, name, { filters, sort: [], fields: own, expand: [] });
  await addLines(engines, name, text);
};

const get: Step = (engines, maker, name) => {
  const id = maker.id(name);
  const { expand } = maker.query(name, engines.model.paths(name));
  const search = expand.length === 0 ? '' : `?expand=${expand}`;
  return engines.ask(engines.model.get(name, id, expand), `${name}/${id}${search}`);
};

function searchOf({ filters, sort, fields, expand }: Query): string {
  const parameter = (key: string, value: string) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`;
  return [
    ...filters.map(([field, operator, text]) => parameter(`${field}[${operator}]`, text)),
    ...(sort.length === 0 ? [] : [parameter('sort', sort.join())]),
    ...(fields === undefined ? [] : [parameter('fields', fields.join())]),
    ...(expand.length === 0 ? [] : [parameter('expand', expand.join())]),
  ].join('&');
}

/** Every page of a list. */
const list: Step = async (engines, maker, name) => {
  const { model } = engines;
  const { random } = maker;
  const query = maker.query(name, model.paths(name));
  const search = searchOf(query);
  const rows = model.select(name, query);
  if (rows === undefined) return engines.ask(invalidQuery, `${name}?${search}`);
  const limit = random.pick([1, 2, 3, 5, 100]);
  const isCounted = random.chance(0.3);
  const path = `${name}?${search}&limit=${limit}${isCounted ? '&count=exact' : ''}`;
  const total = isCounted ? `,"total":${rows.length}` : '';
  let cursors: readonly string[] = [];
  for (let from = 0; from === 0 || from < rows.length; from += limit) {
    const data = rows.slice(from, from + limit).map((row) => model.expanded(name, row, query.expand, query.fields));
    const next = from + limit < rows.length ? '"-"' : 'null';
    const expected = { status: 200, text: `{"data":[${data.join(',')}],"next_cursor":${next}${total}}` };
    const known = cursors;
    const at = (engine: number) => (from === 0 ? path : `${path}&cursor=${known[engine]}`);
    ({ cursors } = await engines.ask(expected, at));
  }
  return undefined;
};

async function whole(engines: Engines, name: string, query: Query) {
  const rows = engines.model.select(name, query);
  const text = rows?.map((row) => `${engines.model.textOf(name, row, query.fields)}\n`).join('');
  const expected = text === undefined ? invalidQuery : { status: 200, text };
  const headers = { Accept: 'application/x-ndjson' };
  return engines.ask(expected, `${name}/export?${searchOf(query)}`, { headers });
}

/** CSV has the same records as NDJSON. */
const exported: Step = async (engines, maker, name) => {
  const query = maker.query(name, []);
  const { text: lines } = await whole(engines, name, query);
  const isRefused = engines.model.select(name, query) === undefined;
  const path = `${name}${maker.random.pick(['', '/export'])}?${searchOf(query)}`;
  const expected = isRefused ? invalidQuery : { status: 200 };
  const columns = Object.entries(engines.model.columnsOf(name)).filter(([key]) => query.fields?.includes(key) ?? true);
  // They are the last columns.
  const times = columns
    .filter(([key]) => ['created_at', 'updated_at'].includes(key))
    .map(() => String.raw`[\d-]+T[\d:.]+Z`);
  const pattern = new RegExp(`(?<=^|,|\n)${times.join()}(?=\r\n)`, 'g');
  const comparable = (text: string) =>
    times.length === 0 ? text : text.replaceAll(pattern, times.map(() => '-').join());
  const { text: csv } = await engines.ask(expected, path, { headers: { Accept: 'text/csv' }, comparable });
  if (isRefused) return;
  const [head, ...records] = cellsOf(csv);
  expect(head?.map(({ text }) => text)).toEqual(columns.map(([key]) => key));
  const told = records.map((cells) =>
    cells.map(({ text, isQuoted }) => (text === '' && !isQuoted ? null : plainOf(text))),
  );
  expect(told).toEqual(
    lines
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const members = parsed(line)?.value as ReadonlyMap<string, Node>;
        return columns.map(([key, { type }]) => {
          const node = members.get(key);
          if (node === undefined || node.value === null) return null;
          return typeof node.value === 'string' && type !== 'json' ? node.value : node.text;
        });
      }),
  );
};

/** RFC 4180. */
function cellsOf(csv: string): { text: string; isQuoted: boolean }[][] {
  const rows: { text: string; isQuoted: boolean }[][] = [];
  let row: { text: string; isQuoted: boolean }[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  for (let found = cell.exec(csv); found !== null; found = cell.exec(csv)) {
    const [, inQuotes, plain = '', end] = found;
    row.push({ text: inQuotes?.replaceAll('""', '"') ?? plain, isQuoted: inQuotes !== undefined });
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** Without the apostrophe that keeps spreadsheets from running a text. */
const plainOf = (text: string) => (/^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? text.slice(1) : text);

// ---- The properties.

/** A smaller seed is not a simpler one. */
const anySeed = fc.noShrink(fc.integer({ min: 0, max: 2 ** 32 - 1 }));
const anySeeds = (maxLength: number) => fc.array(anySeed, { minLength: 1, maxLength, size: 'max' });
const anyRun = (count: number) =>
  fc.record({
    shape: fc.array(anySeeds(10), { minLength: 2, maxLength: 3, size: 'max' }),
    seed: anySeed,
    texts: fc.array(fc.string({ unit: 'binary', maxLength: 8 }), { maxLength: 6 }),
    jsons: fc.array(fc.json({ maxDepth: 2 }), { maxLength: 4 }),
    steps: anySeeds(count),
    evolutions: anySeeds(6),
    later: anySeeds(count),
  });
/** In milliseconds. */
const patience = 180_000;
const { DIFFERENTIAL_RUNS, DIFFERENTIAL_SEED } = process.env;
const options = (numRuns: number) => ({
  numRuns: Number(DIFFERENTIAL_RUNS ?? numRuns),
  ...(DIFFERENTIAL_SEED === undefined ? {} : { seed: Number(DIFFERENTIAL_SEED) }),
  // Shrinking ends then, too, before the time limit of the test.
  ...(DIFFERENTIAL_RUNS === undefined ? { interruptAfterTimeLimit: 120_000 } : {}),
});

const lasting = lastingEngines();

/** Some records in each collection, then the steps. */
async function play(engines: Engines, seed: number, steps: readonly number[], extras: Extras): Promise<void> {
  for (const [at, name] of Object.keys(engines.model.file).entries()) {
    for (let count = 0; count < 3; count++) {
      const body = new Maker(new Random(seed + at * 10 + count), extras, engines.model).body(name, false, false, false);
      await engines.ask(engines.model.create(name, body), name, { method: 'POST', body });
    }
  }
  for (const one of steps) await step(engines, one, extras);
  await engines.feed();
}

test(
  'random writes and queries are answered alike by every engine, and as the model says',
  async () => {
    const property = fc.asyncProperty(anyRun(160), async ({ shape, seed, steps, ...extras }) => {
      const file = randomFile(shape, seed, extras);
      const engines = await Engines.start(emptyEngines, file);
      try {
        await play(engines, seed, steps, extras).catch((error) => {
          throw engines.explain(error, file);
        });
      } finally {
        await engines.stop();
      }
    });
    await fc.assert(property, options(8));
  },
  patience,
);

test(
  'after random evolutions that lose nothing, too, on every engine whose data lasts',
  async () => {
    const property = fc.asyncProperty(anyRun(60), async ({ shape, seed, steps, evolutions, later, ...extras }) => {
      const file = randomFile(shape, seed, extras);
      const engines = await Engines.start(lasting, file);
      const changed = async () => {
        await play(engines, seed, steps, extras);
        await engines.evolve(evolved(file, evolutions, extras));
        for (const name of Object.keys(engines.model.file))
          await whole(engines, name, { filters: [], sort: [], fields: undefined, expand: [] });
        await play(engines, seed + 1, later, extras);
      };
      try {
        await changed().catch((error) => {
          throw engines.explain(error, file);
        });
      } finally {
        await engines.stop();
      }
    });
    await fc.assert(property, options(5));
  },
  patience,
);

test('those requests had answers of every kind', () => {
  const told = [...seen.keys()].map((kind) =>
    kind.replace(/^(reference-missing|still-referenced)$/, 'between records'),
  );
  const kinds = ['200', '201', '204', 'invalid-body', 'malformed-json', 'invalid-query', 'not-found', 'already-exists'];
  expect(told).toEqual(expect.arrayContaining([...kinds, 'between records']));
});
