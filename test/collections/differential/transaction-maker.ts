/** Random transactions, right or wrong. */
import { type Node, parsed } from './json.ts';
import type { Maker } from './maker.ts';
import type { Model } from './model.ts';
import { jsonOf, summable } from './transaction-reader.ts';
import { kindOf, withPoint } from './types.ts';

const ops = ['create', 'create', 'create', 'update', 'replace', 'add', 'add', 'delete', 'upsert', 'check'] as const;
const most = 6;

export class TransactionMaker {
  /** The names that operations give, with their collections. */
  readonly #created: { readonly as: string; readonly name: string }[] = [];

  constructor(
    readonly maker: Maker,
    readonly model: Model,
  ) {}

  body(): string {
    const { random } = this.maker;
    const count = random.chance(0.01) ? 0 : 1 + random.below(most);
    const operations = Array.from({ length: count }, () => this.#operation());
    const form = random.weighted([
      [60, ''],
      [39, ',"return":"records"'],
      [1, ',"return":"record"'],
    ]);
    return `{"operations":[${operations.join()}]${form}}`;
  }

  #operation(): string {
    const { random } = this.maker;
    const name = random.pick(Object.keys(this.model.file));
    const op = this.#possible(random.pick(ops), name);
    const members: Record<string, string> = { op: `"${op}"`, collection: `"${name}"`, ...this.#members(op, name) };
    if (random.chance(0.01)) members[random.pick(['as', 'count', 'nothing', 'exists', 'key'])] = '1';
    if (random.chance(0.01))
      members[random.pick(['op', 'collection', 'id', 'version'])] = random.pick(['"x"', '0', '1.5']);
    if (random.chance(0.01)) delete members[random.pick(Object.keys(members))];
    return `{${Object.entries(members).map(([key, text]) => `"${key}":${text}`)}}`;
  }

  /** Mostly one that can succeed. */
  #possible(op: string, name: string): string {
    if (this.maker.random.chance(0.02)) return op;
    if (op === 'add' && Object.keys(summable(this.model, name)).length === 0) return 'update';
    return op === 'upsert' && this.model.rulesOf(name).length === 0 ? 'create' : op;
  }

  #members(op: string, name: string): Record<string, string> {
    const { random } = this.maker;
    switch (op) {
      case 'create': {
        const record = this.#record(name, false);
        if (random.chance(0.4)) return { record };
        const as = `${name} ${random.chance(0.98) ? this.#created.length : 0}`;
        this.#created.push({ as, name });
        return { record, as: `"${as}"` };
      }
      case 'upsert':
        return this.#upsert(name);
      case 'delete':
        return this.#target(name, 0.2);
      case 'check':
        return this.#check(name);
      case 'add':
        return { ...this.#target(name, 0.3), record: this.#amounts(name) };
      default:
        return { ...this.#target(name, op === 'update' ? 0.2 : 0), record: this.#record(name, op === 'update') };
    }
  }

  /** References lead to records of earlier operations, too. */
  #record(name: string, isPatch: boolean, without: readonly string[] = []): string {
    const { random } = this.maker;
    const body = this.maker.body(name, isPatch, false, random.chance(0.02));
    const node = parsed(body);
    if (!(node?.value instanceof Map)) return body;
    const members = new Map(node.value as ReadonlyMap<string, Node>);
    for (const key of without) members.delete(key);
    for (const [key, { to }] of Object.entries(this.model.fieldsOf(name))) {
      const known = this.#created.filter((one) => one.name === to || random.chance(0.02));
      if (to === undefined || without.includes(key) || known.length === 0 || random.chance(0.4)) continue;
      members.set(key, { text: `{"created":"${random.pick(known).as}"}`, value: null });
    }
    return jsonOf(members);
  }

  #upsert(name: string): Record<string, string> {
    const { random } = this.maker;
    const rules = this.model.rulesOf(name);
    const fields = rules.length === 0 || random.chance(0.02) ? ['version'] : random.pick(rules).fields;
    const stored = [...this.model.table(name).rows.values()];
    const row = stored.length > 0 && random.chance(0.6) ? random.pick(stored) : undefined;
    const members = random.shuffled(fields).map((field) => {
      const one = this.model.fieldsOf(name)[field] ?? { type: 'integer' };
      const value = row?.values.get(field) ?? null;
      return `"${field}":${value === null ? this.maker.right(one) : kindOf(one).write(value, one)}`;
    });
    return { key: `{${members.join()}}`, record: this.#record(name, false, random.chance(0.98) ? fields : []) };
  }

  #amounts(name: string): string {
    const { random } = this.maker;
    const fields = Object.entries(summable(this.model, name));
    const some = random.shuffled(fields).slice(0, 1 + random.below(3));
    const members = some.map(([key, { type, scale = 0 }]) => {
      const plain = { type, scale };
      const small =
        type === 'decimal' ? `"${withPoint(BigInt(random.below(200)) - 100n, scale)}"` : String(random.below(9) - 4);
      return `"${key}":${random.chance(0.6) ? small : random.chance(0.95) ? this.maker.right(plain) : this.maker.any(plain)}`;
    });
    return `{${members.join()}}`;
  }

  #id(name: string): string {
    const { random } = this.maker;
    const known = this.#created.filter((one) => one.name === name || random.chance(0.02));
    if (known.length > 0 && random.chance(0.4)) return `{"created":"${random.pick(known).as}"}`;
    return String(this.maker.id(name));
  }

  /** One record, or with this chance all that match. */
  #target(name: string, matching: number): Record<string, string> {
    const { random } = this.maker;
    if (random.chance(matching)) {
      const where = this.#where(name);
      return { where, ...(random.chance(0.4) ? { count: this.#count(name, where) } : {}) };
    }
    return { id: this.#id(name), ...this.#conditions(name) };
  }

  #conditions(name: string): Record<string, string> {
    const { random } = this.maker;
    return {
      ...(random.chance(0.1) ? { version: String(1 + random.below(2)) } : {}),
      ...(random.chance(0.1) ? { where: this.#where(name) } : {}),
    };
  }

  #where(name: string): string {
    const { random } = this.maker;
    return random.chance(0.5)
      ? this.maker.where(name)
      : `{"id":{"${random.pick(['lt', 'lte', 'gte'])}":${random.below(5)}}}`;
  }

  /** Mostly true of the records before the transaction. */
  #count(name: string, where: string): string {
    const { random } = this.maker;
    const rows = this.model.select(name, { filters: [], where, sort: [], fields: undefined, expand: [] });
    const count = (rows?.length ?? 0) + (random.chance(0.15) ? 1 : 0);
    return random.pick([
      `{"eq":${count}}`,
      `{"lte":${count}}`,
      `{"lt":${count + 1}}`,
      `{"gte":${count}}`,
      `{"gte":0,"ne":${count + 1}}`,
      `{"gt":${count}}`,
      '{"lt":100}',
    ]);
  }

  #check(name: string): Record<string, string> {
    const { random } = this.maker;
    if (random.chance(0.5)) {
      const where = this.#where(name);
      return { where, count: this.#count(name, where) };
    }
    if (random.chance(0.2)) return { id: String(100 + random.below(5)), exists: 'false' };
    return { id: this.#id(name), ...(random.chance(0.3) ? { exists: 'true' } : {}), ...this.#conditions(name) };
  }
}
