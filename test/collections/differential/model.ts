/** The model of a service. */

import type { FieldDeclaration, Plain } from '../../../src/domain/record/declaration.ts';
import { type Node, parsed } from './json.ts';
import { type Fields, type File, kindOf, matches, operandIn, operandOf, operatorsOf, type Value } from './types.ts';
import { hasWords } from './words-model.ts';

export type Row = { id: number; version: number; values: Map<string, Value | null> };
type Table = { last: number; readonly rows: Map<number, Row> };
type Values = ReadonlyMap<string, Value | null>;
export type Problem = {
  readonly type: string;
  readonly errors?: readonly { pointer: string; line?: number }[];
} & Record<string, unknown>;

/** `text` is the whole answer; of a failure the model knows only the type and some facts. */
export type Expected = {
  readonly status: number;
  readonly text?: string;
  readonly tag?: string;
  readonly types?: readonly string[];
  readonly facts?: (problem: Problem) => boolean;
};
type Clash = { readonly field: string; readonly type: string; readonly by?: number };
/** The records that it is for match. */
export type Rule = { readonly fields: readonly string[]; readonly hasWhere: boolean; readonly isFor: Matches };
export type Query = {
  readonly filters: readonly (readonly [field: string, operator: string, text: string])[];
  /** JSON, of the filter language. */
  readonly where?: string | undefined;
  readonly sort: readonly string[];
  readonly fields: readonly string[] | undefined;
  readonly expand: readonly string[];
};
export type Matches = (row: Row) => boolean;
/** The name that stands for all searched fields. */
export const everyText = 'words';
export const groups = ['any', 'all', 'not'];
/** The operators that can compare with another field. */
export const betweenFields = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'];

/** Times are not known. */
function valueIn({ id, version, values }: Row, key: string): Value | null {
  return key === 'id' ? BigInt(id) : key === 'version' ? BigInt(version) : (values.get(key) ?? null);
}

export const integer: FieldDeclaration = { type: 'integer' };
export const failed = (status: number, ...types: string[]): Expected => ({ status, types });
export const notFound = failed(404, 'not-found');
export const invalidQuery = failed(400, 'invalid-query');

export class Model {
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
    const { fields: declared = {}, contract, search = [] } = this.file[name] ?? {};
    const named = Object.entries(declared).map(([key, one]) => [
      key,
      search.includes(key) ? { ...one, search: true } : one,
    ]);
    const fields: Fields = Object.fromEntries(named);
    return contract ? { external_id: integer, ...fields } : fields;
  }

  searchedFields(name: string): string[] {
    return Object.entries(this.fieldsOf(name)).flatMap(([key, { search }]) => (search ? [key] : []));
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

  /** The fields of a body; the type of the failure if it is refused. A whole record is judged, unless that depends on what is `unknown`. */
  read(
    name: string,
    body: string,
    isPatch: boolean,
    ignored: readonly string[] = [],
    unknown: readonly string[] = [],
  ): Values | string {
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
    const isBroken = !isPatch && this.broken(name, { id: 0, version: 0, values }, unknown).length > 0;
    return isBroken ? 'invalid-body' : values;
  }

  /** The fields of each check rule that the record does not meet. */
  broken(name: string, row: Row, unknown: readonly string[] = []): Clash[] {
    return (this.file[name]?.check ?? []).flatMap(({ where }) => {
      const fields = [...new Set(namesIn(where))];
      const node = parsed(jsonOf(where));
      const holds = node && this.where(name, node);
      if (holds === undefined) throw new Error(`the model cannot read ${jsonOf(where)}`);
      if (fields.some((field) => unknown.includes(field)) || holds(row)) return [];
      return fields.map((field) => ({ field, type: 'invalid-body' }));
    });
  }

  /** With defaults for the fields that a new record may leave out; the fields that it may not. */
  completed(name: string, values: Values): { readonly whole: Values; readonly lacking: readonly string[] } {
    const all = new Map(values);
    const lacking: string[] = [];
    for (const [key, one] of Object.entries(this.fieldsOf(name))) {
      if (values.has(key) || (key === 'external_id' && one === integer)) continue;
      const preset = presetOf(one);
      if (preset === undefined && !one.optional) lacking.push(key);
      else all.set(key, preset ?? null);
    }
    return { whole: all, lacking };
  }

  /** A unique field is a rule of its own. */
  rulesOf(name: string): Rule[] {
    const alone = Object.entries(this.fieldsOf(name)).flatMap(([key, { unique }]) => (unique ? [[key]] : []));
    return [...alone, ...(this.file[name]?.unique ?? [])].map((rule) => {
      const { fields, where = {} } = 'fields' in rule ? rule : { fields: rule };
      const node = parsed(jsonOf(where));
      const isFor = node && this.where(name, node);
      if (isFor === undefined) throw new Error(`the model cannot read ${jsonOf(where)}`);
      return { fields, hasWhere: where !== undefined && 'where' in rule, isFor };
    });
  }

  /** The record that is in the way of one with these values, by a rule. */
  holder(name: string, { fields, isFor }: Rule, candidate: Row): Row | undefined {
    const values = fields.map((field) => candidate.values.get(field) ?? null);
    if (values.includes(null) || !isFor(candidate)) return undefined;
    return [...this.table(name).rows.values()].find(
      (row) =>
        row.id !== candidate.id && fields.every((field, at) => row.values.get(field) === values[at]) && isFor(row),
    );
  }

  clashes(name: string, values: Values, id: number): Clash[] {
    const before = this.table(name).rows.get(id)?.values ?? new Map<string, Value | null>();
    const candidate = { id, version: 0, values: new Map([...before, ...values]) };
    const broken = this.broken(name, candidate);
    if (broken.length > 0) return broken;
    const taken = this.rulesOf(name).flatMap((rule) => {
      const holder = this.holder(name, rule, candidate);
      return holder === undefined ? [] : rule.fields.map((field) => ({ field, type: 'already-exists', by: holder.id }));
    });
    const missing = [...values].flatMap(([field, value]): Clash[] => {
      const { to } = this.fieldsOf(name)[field] ?? integer;
      const isMissing = value !== null && to !== undefined && !this.table(to).rows.has(Number(value));
      return isMissing ? [{ field, type: 'reference-missing' }] : [];
    });
    return [...taken, ...missing];
  }

  /** Changes the tables, and adds the change to the feed. */
  put(name: string, type: 'created' | 'updated' | 'deleted', row: Row): void {
    const table = this.table(name);
    const old = table.rows.get(row.id);
    const before = type === 'updated' && old !== undefined ? `,"before":${this.changedText(name, old, row)}` : '';
    if (type === 'deleted') table.rows.delete(row.id);
    else table.rows.set(row.id, row);
    table.last = Math.max(table.last, row.id);
    const { singular } = this.file[name] ?? {};
    this.feed.push(
      `{"seq":${this.feed.length + 1},"type":"${singular}.${type}","at":"-","by":null,"record":${this.textOf(name, row)}${before}}`,
    );
  }

  /** The members of the old row that the new one has changed, with version and time. */
  changedText(name: string, old: Row, now: Row): string {
    const changed = Object.keys(this.columnsOf(name)).filter(
      (key) => key === 'updated_at' || this.textOf(name, old, [key]) !== this.textOf(name, now, [key]),
    );
    return this.textOf(name, old, changed);
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

  /** `isUndone` as for a bulk. */
  remove(name: string, id: number, version: number | undefined): Expected & { readonly isUndone?: true } {
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
    const before = this.#state();
    for (const by of left('clear')) {
      const old = this.table(by.name).rows.get(by.id);
      if (old === undefined) continue;
      const values = new Map([...old.values, [by.field, null] as const]);
      const now = { id: old.id, version: old.version + 1, values };
      if (this.broken(by.name, now).length > 0) {
        this.#restore(before);
        const facts = (problem: Problem) => problem.collection === by.name && problem.first_id === by.id;
        return { ...failed(409, 'still-referenced'), facts, isUndone: true };
      }
      const [holder] = this.rulesOf(by.name).flatMap((rule) => this.holder(by.name, rule, now) ?? []);
      if (holder !== undefined) {
        this.#restore(before);
        const facts = (problem: Problem) => problem.collection === by.name && problem.id === holder.id;
        return { ...failed(409, 'already-exists'), facts, isUndone: true };
      }
      this.put(by.name, 'updated', now);
    }
    for (const one of gone) {
      const old = this.table(one.name).rows.get(one.id);
      if (old !== undefined) this.put(one.name, 'deleted', old);
    }
    return { status: 204, text: '' };
  }

  #state() {
    return {
      tables: new Map([...this.tables].map(([name, one]) => [name, { ...one, rows: new Map(one.rows) }])),
      changes: this.feed.length,
    };
  }

  #restore({ tables, changes }: { readonly tables: ReadonlyMap<string, Table>; readonly changes: number }): void {
    for (const [name, table] of tables) this.tables.set(name, table);
    this.feed.length = changes;
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

  /** The filter language; undefined if the filter is refused. `levels` are left. */
  where(name: string, { value }: Node, levels = 5): Matches | undefined {
    if (!(value instanceof Map) || levels < 0) return undefined;
    const members: ReadonlyMap<string, Node> = value;
    return allOf([...members].map(([key, one]) => this.#member(name, key, one, levels)));
  }

  #member(name: string, key: string, node: Node, levels: number): Matches | undefined {
    if (key === 'not') {
      const inner = this.where(name, node, levels - 1);
      return inner && ((row) => !inner(row));
    }
    if (!groups.includes(key)) return this.#path(name, key.split('.'), node, 2);
    const elements = Array.isArray(node.value) ? (node.value as readonly Node[]) : [];
    const parts = elements.map((one) => this.where(name, one, levels - 1));
    if (parts.length === 0 || parts.includes(undefined)) return undefined;
    return key === 'all' ? allOf(parts) : (row) => parts.some((part) => part?.(row));
  }

  /** A reference that leads to no record matches nothing. */
  #path(name: string, [key = '', ...rest]: readonly string[], node: Node, steps: number): Matches | undefined {
    if (rest.length === 0) return this.#comparisons(name, key, node);
    const { to } = this.fieldsOf(name)[key] ?? {};
    const inner = to === undefined || steps === 0 ? undefined : this.#path(to, rest, node, steps - 1);
    if (to === undefined || inner === undefined) return undefined;
    return (row) => {
      const target = this.table(to).rows.get(Number(row.values.get(key) ?? 0));
      return target !== undefined && inner(target);
    };
  }

  #comparisons(name: string, key: string, node: Node): Matches | undefined {
    const columns = this.columnsOf(name);
    const one = columns[key];
    if (key === everyText && one === undefined) return this.#words(name, node);
    if (one === undefined) return undefined;
    const given: ReadonlyMap<string, Node> = node.value instanceof Map ? node.value : new Map([['eq', node]]);
    const parts = [...given].map(([operator, wanted]): Matches | undefined => {
      if (!operatorsOf(one).includes(operator)) return undefined;
      if (wanted.value instanceof Map) {
        const member = (wanted.value as ReadonlyMap<string, Node>).get('field');
        const other = typeof member?.value === 'string' ? columns[member.value] : undefined;
        const isSame = other?.type === one.type && (other.scale ?? 0) === (one.scale ?? 0) && other.to === one.to;
        if (!betweenFields.includes(operator) || wanted.value.size !== 1 || !isSame) return undefined;
        return (row) => matches(operator, valueIn(row, key), [valueIn(row, String(member?.value))], one);
      }
      if (operator === 'is' && wanted.value !== 'null' && wanted.value !== 'set') return undefined;
      if ((operator === 'in') !== Array.isArray(wanted.value)) return undefined;
      const nodes = operator === 'in' ? (wanted.value as readonly Node[]) : [wanted];
      const operands = operator === 'is' ? [String(wanted.value)] : nodes.map((value) => operandOf(value, one));
      if (operands.includes(undefined)) return undefined;
      return (row) => matches(operator, valueIn(row, key), operands as Value[], one);
    });
    return allOf(parts);
  }

  /** Each word is in any of the searched fields. */
  #words(name: string, node: Node): Matches | undefined {
    const searched = this.searchedFields(name);
    const given: ReadonlyMap<string, Node> = node.value instanceof Map ? node.value : new Map([['words', node]]);
    const queries = [...given].map(([operator, wanted]) =>
      operator === 'words' ? operandOf(wanted, { type: 'text' }) : undefined,
    );
    if (searched.length === 0 || queries.includes(undefined)) return undefined;
    return (row) => {
      const texts = searched.flatMap((field) => (row.values.get(field) as string | null) ?? []);
      return queries.every((query) => hasWords(String(query), texts));
    };
  }

  /** The records that a query finds, in their order; undefined if it is refused. */
  select(name: string, { filters: all, where, sort, fields, expand }: Query): Row[] | undefined {
    const columns = this.columnsOf(name);
    const ofEvery = (field: string) => field === everyText && columns[field] === undefined;
    const filters = all.filter(([field]) => !ofEvery(field));
    const every = all
      .filter(([field]) => ofEvery(field))
      .map(([, operator, text]) => {
        const node = parsed(JSON.stringify({ [operator]: text }));
        return node && this.#words(name, node);
      });
    const json = parsed(where ?? '{}');
    const isWanted = allOf([json && this.where(name, json), ...every]);
    if (isWanted === undefined) return undefined;
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
      return operatorsOf(one).includes(operator) && texts.every((text) => operandIn(text, one) !== undefined);
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
        [...conditions.values()].every(({ field, operator, texts }) => {
          const one = columns[field] ?? integer;
          const operands = operator === 'is' ? texts : texts.map((text) => operandIn(text, one) ?? '');
          return matches(operator, valueIn(row, field), operands, one);
        }),
      )
      .filter(isWanted)
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

/** Undefined if one of them is. */
function allOf(parts: readonly (Matches | undefined)[]): Matches | undefined {
  return parts.includes(undefined) ? undefined : (row) => parts.every((part) => part?.(row));
}

/** The fields that a condition names. */
function namesIn(where: Plain): string[] {
  return Object.entries(where as { readonly [name: string]: Plain }).flatMap(([name, value]) => {
    if (groups.includes(name)) return [value].flat().flatMap((one) => namesIn(one as Plain));
    const operands = typeof value === 'object' && value !== null ? Object.values(value) : [];
    const others = operands.flatMap((one) =>
      typeof one === 'object' && one !== null && 'field' in one ? [one.field] : [],
    );
    return [name, ...others.map(String)];
  });
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
  if (typeof plain === 'object' && plain !== null)
    return `{${Object.entries(plain).map(([key, one]) => `${JSON.stringify(key)}:${jsonOf(one ?? null)}`)}}`;
  return Object.is(plain, -0) ? '-0' : JSON.stringify(plain);
}

export function clashed(clashes: readonly (Clash & { readonly line?: number })[]): Expected {
  const first = clashes.filter(({ line }) => line === clashes[0]?.line);
  const facts = ({ type, id, errors = [] }: Problem) => {
    const told = errors.map(({ pointer, line }) => `${pointer} ${line}`).sort();
    const known = clashes.map(({ field, line }) => `#/${field} ${line}`).sort();
    const isHolder = !type.endsWith('already-exists') || id === undefined || first.some(({ by }) => by === id);
    return Bun.deepEquals(told, known) && isHolder;
  };
  const status = first.some(({ type }) => type === 'invalid-body') ? 400 : 409;
  return { ...failed(status, ...first.map(({ type }) => type)), facts };
}
