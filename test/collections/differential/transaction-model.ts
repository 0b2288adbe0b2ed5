/** Transactions in the model: all operations are applied, or none. */
import { type Node, parsed } from './json.ts';
import { clashed, type Expected, failed, type Model, notFound, type Problem, type Row } from './model.ts';
import { jsonOf, type Members, type Operation, TransactionReader } from './transaction-reader.ts';
import { kindOf, type Value } from './types.ts';

/** `undone` has the collections to which records were added before they were removed again. */
export type ExpectedTransaction = Expected & { readonly undone?: readonly string[] };

/** The record that an operation is about, or the number of records. */
type Result = { readonly id: number; readonly row: Row | undefined } | { readonly count: number };

const checkFailed = failed(409, 'check-failed');
const isFailure = (result: Result | Expected): result is Expected => 'status' in result;

export function commit(model: Model, body: string): ExpectedTransaction {
  const node = parsed(body);
  if (node === undefined) return failed(400, 'malformed-json');
  const sent = node.value instanceof Map ? (node.value as Members) : new Map<string, Node>();
  const operations = sent.get('operations')?.value;
  const form = sent.get('return')?.value;
  const isList = Array.isArray(operations) && operations.length > 0;
  const reader = new TransactionReader(model);
  const nodes = isList ? (operations as readonly Node[]) : [];
  const read = nodes.map((one, index) => reader.read(one, index));
  const wrong = read.flatMap((one, index) => (one === undefined ? [index] : []));
  const isKnown = [...sent.keys()].every((key) => ['operations', 'return'].includes(key));
  if (wrong.length > 0 || !isList || !isKnown || (form !== undefined && form !== 'records'))
    return { ...failed(400, 'invalid-body'), facts: (problem) => Bun.deepEquals(placesIn(problem), wrong) };
  return new OpenTransaction(model, form === 'records').apply(read as Operation[]);
}

/** The operations that have mistakes. */
function placesIn({ errors = [] }: Problem): number[] {
  const places = errors.flatMap(({ pointer }) => /^#\/operations\/(\d+)/.exec(pointer)?.[1] ?? []);
  return [...new Set(places.map(Number))].sort((one, other) => one - other);
}

class OpenTransaction {
  /** The records by operation. */
  readonly #made: number[] = [];

  constructor(
    readonly model: Model,
    readonly returnsRecords: boolean,
  ) {}

  apply(operations: readonly Operation[]): ExpectedTransaction {
    const { model } = this;
    const tables = [...model.tables].map(([name, { last, rows }]) => [name, { last, rows: new Map(rows) }] as const);
    const before = model.feed.length;
    const texts: string[] = [];
    for (const [index, operation] of operations.entries()) {
      const result = this.#apply(operation);
      if (!isFailure(result)) {
        this.#made.push('id' in result ? result.id : 0);
        texts.push(this.#text(operation.name, result));
        continue;
      }
      for (const [name, table] of tables) model.tables.set(name, table);
      model.feed.length = before;
      const undone = new Set(operations.slice(0, index + 1).map(({ name }) => name));
      return { ...at(index, result), undone: [...undone] };
    }
    const size = model.feed.length - before;
    const first = before + 1;
    if (size > 1)
      for (let change = before; change < model.feed.length; change++)
        model.feed[change] = (model.feed[change] ?? '').replace(
          '"by":null,',
          `"by":null,"transaction":{"first":${first},"size":${size}},`,
        );
    const numbers = size === 0 ? [null, null] : [first, model.feed.length];
    const text = `{"results":[${texts.join()}],"first_change":${numbers[0]},"last_change":${numbers[1]}}`;
    return { status: 200, text };
  }

  #text(name: string, result: Result): string {
    if ('count' in result) return `{"count":${result.count}}`;
    const { id, row } = result;
    if (row !== undefined && this.returnsRecords) return this.model.textOf(name, row);
    return `{"id":${id},"version":${row?.version ?? null}}`;
  }

  #apply(operation: Operation): Result | Expected {
    const { op, name, id: to, where, count: bounds } = operation;
    if (op === 'create') return this.#create(operation);
    if (op === 'upsert') return this.#upsert(operation);
    const { rows } = this.model.table(name);
    if (to !== undefined) return this.#one(operation, typeof to === 'number' ? to : (this.#made[to.made] ?? 0));
    const found = [...rows.values()].filter((row) => where?.(row)).map(({ id }) => id);
    const count = found.length;
    if (bounds !== undefined && !holds(count, bounds))
      return { ...checkFailed, facts: (problem) => problem.count === count };
    if (op === 'check') return { count };
    for (const id of found.sort((one, other) => one - other)) {
      // A cascade may have deleted it.
      const row = this.model.table(name).rows.get(id);
      const result = row && this.#change(operation, row);
      if (result !== undefined && isFailure(result)) return result;
    }
    return { count };
  }

  #one(operation: Operation, id: number): Result | Expected {
    const { op, name, version, where, exists } = operation;
    const row = this.model.table(name).rows.get(id);
    if (op === 'check' && (row !== undefined) !== exists) return checkFailed;
    if (row === undefined) return op === 'check' ? { id, row } : notFound;
    if (version !== undefined && version !== row.version) return failed(412, 'precondition-failed');
    if (where?.(row) === false) return checkFailed;
    return op === 'check' ? { id, row } : this.#change(operation, row);
  }

  #change(operation: Operation, row: Row): Result | Expected {
    const { op, name } = operation;
    const { id } = row;
    if (op === 'delete') {
      const expected = this.model.remove(name, id, undefined);
      return expected.status === 204 ? { id, row } : expected;
    }
    const json = op === 'add' ? this.#sums(operation, row) : this.#json(operation);
    return typeof json === 'string' ? this.#update(name, id, json, op !== 'replace') : json;
  }

  #update(name: string, id: number, json: string, isPatch: boolean): Result | Expected {
    const expected = this.model.update(name, id, json, isPatch, undefined);
    return expected.status === 200 ? { id, row: this.model.table(name).rows.get(id) } : expected;
  }

  /** Null counts as zero. */
  #sums({ name, record }: Operation, row: Row): string | Expected {
    const sums = new Map<string, Node>();
    const beyond: string[] = [];
    // In the order of the fields, of which the first that is out of bounds is reported.
    for (const [key, one] of Object.entries(this.model.fieldsOf(name))) {
      const node = record.members.get(key);
      if (node === undefined) continue;
      const { type, scale = 0 } = one;
      const amount = kindOf(one).read(node, { type, scale });
      const value = row.values.get(key) ?? (type === 'number' ? 0 : 0n);
      const sum =
        type === 'number' ? Number(value) + Number(amount) : BigInt(value as bigint) + BigInt(amount as bigint);
      const text = parsed(kindOf(one).write(sum as Value, one));
      if (text === undefined || kindOf(one).read(text, one) === undefined) beyond.push(key);
      else sums.set(key, text);
    }
    if (beyond.length === 0) return jsonOf(sums);
    const facts = ({ errors = [] }: Problem) => errors.length === 1 && errors[0]?.pointer === `#/${beyond[0]}`;
    return { ...failed(409, 'out-of-bounds'), facts };
  }

  #json({ record: { members, made } }: Operation): string {
    const ids = [...made].map(([key, operation]) => {
      const id = this.#made[operation] ?? 0;
      return [key, { text: String(id), value: id }] as const;
    });
    return jsonOf(new Map<string, Node>([...members, ...ids]));
  }

  #create(operation: Operation): Result | Expected {
    const { name } = operation;
    const all = Object.keys(this.model.fieldsOf(name));
    const values = this.model.read(name, this.#json(operation), false, [], all);
    if (typeof values === 'string') throw new Error(`the model reads a record twice, and not alike: ${values}`);
    const clashes = this.model.clashes(name, values, 0);
    if (clashes.length > 0) return clashed(clashes);
    const row = this.model.add(name, values);
    return { id: row.id, row };
  }

  #upsert(operation: Operation): Result | Expected {
    const { name, rule } = operation;
    const json = this.#json(operation);
    const values = this.model.read(name, json, true);
    const row = [...this.model.table(name).rows.values()].find(
      (one) =>
        typeof values !== 'string' &&
        rule?.isFor(one) &&
        rule.fields.every((field) => one.values.get(field) === values.get(field)),
    );
    return row === undefined ? this.#create(operation) : this.#update(name, row.id, json, true);
  }
}

/** A failure of this operation: its problems are at the record of the operation. */
function at(index: number, { facts, ...expected }: Expected): Expected {
  const start = `#/operations/${index}/record/`;
  return {
    ...expected,
    facts: ({ operation, errors, ...problem }) => {
      const own = errors?.map(({ pointer, ...rest }) => ({ ...rest, pointer: pointer.replace(start, '#/') }));
      return operation === index && (facts?.({ ...problem, ...(own && { errors: own }) } as Problem) ?? true);
    },
  };
}

function holds(count: number, bounds: Members): boolean {
  return [...bounds].every(([bound, { value }]) => {
    const wanted = Number(value);
    return (
      {
        eq: count === wanted,
        ne: count !== wanted,
        lt: count < wanted,
        lte: count <= wanted,
        gt: count > wanted,
        gte: count >= wanted,
      }[bound] ?? false
    );
  });
}
