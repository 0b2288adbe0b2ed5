/** Transactions as the model reads them: operations without mistakes, and where the mistakes are. */
import type { Node } from './json.ts';
import type { Matches, Model, Rule } from './model.ts';
import { type Fields, kindOf } from './types.ts';

export type Members = ReadonlyMap<string, Node>;
/** A record by its id, or the one of an earlier operation. */
type Id = number | { readonly made: number };
/** `made` has the operations that make the records that fields refer to. */
export type SentRecord = { readonly members: Members; readonly made: ReadonlyMap<string, number> };

export type Operation = {
  readonly op: string;
  readonly name: string;
  /** Undefined for all records that match. */
  readonly id: Id | undefined;
  readonly version: number | undefined;
  readonly where: Matches | undefined;
  readonly count: Members | undefined;
  readonly record: SentRecord;
  /** Of an upsert. */
  readonly rule: Rule | undefined;
  readonly exists: boolean;
};

const one = ['op', 'collection', 'id', 'version', 'where'];
const membersOf: Readonly<Record<string, readonly string[]>> = {
  create: ['op', 'collection', 'record', 'as'],
  update: [...one, 'record', 'count'],
  replace: [...one, 'record'],
  add: [...one, 'record', 'count'],
  delete: [...one, 'count'],
  upsert: ['op', 'collection', 'key', 'record'],
  check: [...one, 'exists', 'count'],
};
const bounds = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'];

/** Thrown where an operation has a mistake. */
class Mistake extends Error {}

function must(holds: boolean): asserts holds {
  if (!holds) throw new Mistake();
}

const mapIn = (node: Node | undefined): Members => {
  must(node?.value instanceof Map);
  return node.value as Members;
};
const wholeIn = (node: Node, low: number) => {
  must(Number.isInteger(node.value) && Number(node.value) >= low);
  return Number(node.value);
};

export function jsonOf(members: Members): string {
  return `{${[...members].map(([key, node]) => `${JSON.stringify(key)}:${node.text}`).join()}}`;
}

/** The fields that can be added to: not the contract's id. */
export function summable(model: Model, name: string): Fields {
  const isId = (key: string) => key === 'external_id' && model.file[name]?.contract === true;
  const all = Object.entries(model.fieldsOf(name));
  return Object.fromEntries(
    all.filter(([key, { type }]) => ['integer', 'number', 'decimal'].includes(type) && !isId(key)),
  );
}

export class TransactionReader {
  /** Operations by the names that they give: the collection is undefined if it is unknown. */
  readonly #created = new Map<string, { readonly made: number; readonly name: string | undefined }>();

  constructor(readonly model: Model) {}

  /** Undefined if there is a mistake. */
  read(node: Node, index: number): Operation | undefined {
    try {
      return this.#operation(node, index);
    } catch (error) {
      if (error instanceof Mistake) return undefined;
      throw error;
    }
  }

  #operation(node: Node, index: number): Operation {
    const members = mapIn(node);
    const op = String(members.get('op')?.value);
    const name = String(members.get('collection')?.value);
    const isKnown = this.model.file[name] !== undefined;
    const naming = op === 'create' ? members.get('as') : undefined;
    const earlier = this.#created.get(String(naming?.value));
    try {
      must(isKnown && [...members.keys()].every((key) => membersOf[op]?.includes(key)));
      const record = op === 'delete' || op === 'check' ? none : this.#record(op, name, members);
      must(naming === undefined || (typeof naming.value === 'string' && naming.value !== '' && earlier === undefined));
      const rule = op === 'upsert' ? this.#rule(name, [...mapIn(members.get('key')).keys()]) : undefined;
      return { op, name, record, rule, ...this.#target(op, name, members) };
    } finally {
      // Later operations can refer to it even if it has mistakes.
      if (typeof naming?.value === 'string' && naming.value !== '' && earlier === undefined)
        this.#created.set(naming.value, { made: index, name: isKnown ? name : undefined });
    }
  }

  #target(op: string, name: string, members: Members) {
    const [id, version, where, count] = ['id', 'version', 'where', 'count'].map((key) => members.get(key));
    if (op !== 'create' && op !== 'upsert') {
      must(id !== undefined || (op !== 'replace' && where !== undefined && version === undefined));
      must((id === undefined || count === undefined) && (op !== 'check' || id !== undefined || count !== undefined));
    }
    const exists = members.get('exists')?.value ?? true;
    must(typeof exists === 'boolean' && (id !== undefined || !members.has('exists')));
    must(exists || (version === undefined && where === undefined));
    if (count !== undefined) {
      const given = [...mapIn(count)];
      must(given.length > 0 && given.every(([bound, node]) => bounds.includes(bound) && wholeIn(node, 0) >= 0));
    }
    const matches = where && this.model.where(name, where);
    must(where === undefined || matches !== undefined);
    return {
      id: id && (id.value instanceof Map ? { made: this.#made(id, name) } : wholeIn(id, 1)),
      version: version && wholeIn(version, 1),
      where: matches,
      count: count && mapIn(count),
      exists,
    };
  }

  /** The operation that makes a record of this collection. */
  #made(node: Node, to: string): number {
    const [[key, naming] = [], ...more] = [...mapIn(node)];
    must(key === 'created' && more.length === 0 && typeof naming?.value === 'string');
    const found = this.#created.get(naming.value);
    must(found !== undefined && (found.name === undefined || found.name === to));
    return found.made;
  }

  #record(op: string, name: string, given: Members): SentRecord {
    const sent = mapIn(given.get('record'));
    if (op === 'add') {
      this.#amounts(name, sent);
      return { members: sent, made: new Map() };
    }
    const key = op === 'upsert' ? mapIn(given.get('key')) : new Map<string, Node>();
    if (op === 'upsert') {
      this.#rule(name, [...key.keys()]);
      for (const [field, { value }] of key) must(value !== null && !sent.has(field));
    }
    const members = new Map([...sent, ...key]);
    const made = new Map<string, number>();
    for (const [key, { to }] of Object.entries(this.model.fieldsOf(name))) {
      const node = members.get(key);
      if (to !== undefined && node?.value instanceof Map) made.set(key, this.#made(node, to));
    }
    const ids = [...made.keys()].map((key) => [key, { text: '1', value: 1 }] as const);
    const json = jsonOf(new Map<string, Node>([...members, ...ids]));
    // What an upsert does not send, the record that it finds may have.
    const others = Object.keys(this.model.fieldsOf(name)).filter((key) => op === 'upsert' && !members.has(key));
    const read = this.model.read(name, json, op === 'update', [], [...made.keys(), ...others]);
    must(typeof read !== 'string');
    return { members, made };
  }

  #rule(name: string, fields: readonly string[]): Rule {
    const rule = ruleOf(this.model, name, fields);
    must(rule !== undefined);
    return rule;
  }

  /** Amounts have the type of their field, and not its bounds. */
  #amounts(name: string, sent: Members): void {
    const fields = summable(this.model, name);
    must(sent.size > 0);
    for (const [key, node] of sent) {
      const { type, scale = 0 } = fields[key] ?? { type: '' };
      must(type !== '' && kindOf({ type }).read(node, { type, scale }) !== undefined);
    }
  }
}

const none: SentRecord = { members: new Map(), made: new Map() };

/** The rule with these fields, in any order. The one without a condition is meant, if there are several. */
export function ruleOf(model: Model, name: string, fields: readonly string[]): Rule | undefined {
  const wanted = new Set(fields);
  const rules = model
    .rulesOf(name)
    .filter((rule) => rule.fields.length === wanted.size && rule.fields.every((field) => wanted.has(field)));
  return rules.find(({ hasWhere }) => !hasWhere) ?? (rules.length === 1 ? rules[0] : undefined);
}
