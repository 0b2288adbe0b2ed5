/** Random requests of callers with roles: over every route, with visible, hidden and unknown fields, records and collections. */

import { member, visitor } from '../../test/support/data/private-library.ts';
import type { Random } from '../../test/support/data/random.ts';
import type { As } from '../../test/support/servers/role-server.ts';

export type Request = {
  readonly as: As;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Of a page of changes. */
export const changesAtOnce = 1000;

export const callers: readonly As[] = [member(7), member(9), visitor, { role: 'member' }, member('7')];

const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  members: ['id', 'name', 'email', 'secret', 'version', 'created_at'],
  books: ['id', 'external_id', 'title', 'state', 'cost', 'note', 'isbn', 'version'],
  loans: ['id', 'book', 'member', 'due_on', 'returned_on', 'fine', 'version'],
  reviews: ['id', 'book', 'author', 'text', 'stars', 'version'],
  secrets: ['id', 'text'],
  nope: ['id', 'text'],
};
const collections = Object.keys(fieldsOf);

const operators = [
  '',
  '[eq]',
  '[ne]',
  '[gt]',
  '[gte]',
  '[lt]',
  '[lte]',
  '[in]',
  '[is]',
  '[contains]',
  '[starts_with]',
  '[contains_ci]',
  '[words]',
  '[has]',
];
const paths = [
  'book.title',
  'book.state',
  'book.cost',
  'book.id',
  'author.name',
  'author.secret',
  'author.id',
  'book.nope',
];

export type Path = Pick<Request, 'method' | 'path'>;

/** `others` are routes that show no records; `highest` is about the highest id of a record. */
export class Requests {
  #keys = 0;

  constructor(
    readonly random: Random,
    readonly others: readonly Path[],
    readonly highest: () => number,
  ) {}

  next(): Request {
    const { random } = this;
    const as = random.weighted(callers.map((one, at) => [[6, 3, 2, 0.5, 0.5][at] ?? 1, one] as const));
    const collection = random.weighted([
      [4, 'loans'],
      [3, 'books'],
      [3, 'reviews'],
      [1, 'members'],
      [0.3, 'secrets'],
      [0.2, 'nope'],
    ]);
    const make = random.weighted<() => Omit<Request, 'as'>>([
      [6, () => this.#one(collection)],
      [10, () => this.#list(collection)],
      [2, () => this.#export(collection)],
      [3, () => this.#summary(collection)],
      [2, () => this.#contract()],
      [3, () => this.#changes(collection)],
      [4, () => this.#create(collection)],
      [5, () => this.#update(collection)],
      [2, () => this.#remove(collection)],
      [3, () => this.#bulk(collection)],
      [5, () => this.#transaction()],
      [2, () => this.#other()],
    ]);
    return { as, ...make() };
  }

  #id(): number {
    return this.random.chance(0.05) ? 99_999 : 1 + this.random.below(this.highest() + 2);
  }

  #value(field: string): unknown {
    const { random } = this;
    switch (field) {
      case 'id':
      case 'book':
      case 'author':
        return this.#id();
      case 'version':
        return random.below(4);
      case 'external_id':
        return 1 + random.below(12);
      case 'member':
        return random.pick([7, 8, 9]);
      case 'stars':
        return random.below(7);
      case 'state':
        return random.pick(['available', 'lent', 'lost', 'nope']);
      case 'cost':
      case 'fine':
        return random.pick(['0.00', '1.00', '2.50', 'x']);
      case 'due_on':
      case 'returned_on':
        return random.pick(['2026-01-01', '2026-02-02', '2026-03-03']);
      case 'created_at':
        return '2020-01-01T00:00:00Z';
      default:
        return random.pick(['alpha', 'beta', 'gamma', 'delta epsilon', 'a', '']);
    }
  }

  #field(collection: string): string {
    return this.random.pick(fieldsOf[collection] ?? ['id']);
  }

  #where(collection: string, depth = 0): object {
    const { random } = this;
    const one = (): object => {
      if (depth < 2 && random.chance(0.25)) {
        const inner = () => this.#where(collection, depth + 1);
        return random.pick([{ any: [inner(), inner()] }, { not: inner() }, { all: [inner(), inner()] }]);
      }
      if (random.chance(0.25)) {
        const path = random.pick(paths);
        return { [path]: random.chance(0.2) ? { is: 'null' } : this.#value(path.split('.')[1] ?? '') };
      }
      const field = this.#field(collection);
      if (random.chance(0.4)) return { [field]: this.#value(field) };
      if (random.chance(0.15)) return { [field]: { is: random.pick(['null', 'set']) } };
      if (random.chance(0.1)) return { [field]: { eq: { field: this.#field(collection) } } };
      return { [field]: { [random.pick(['eq', 'ne', 'gt', 'lt', 'gte', 'lte'])]: this.#value(field) } };
    };
    return random.chance(0.3) ? { ...one(), ...one() } : one();
  }

  #filters(collection: string): string[] {
    const { random } = this;
    const all: string[] = [];
    if (random.chance(0.5)) all.push(`where=${encodeURIComponent(JSON.stringify(this.#where(collection)))}`);
    if (random.chance(0.4)) {
      const field = random.chance(0.2) ? random.pick(paths) : this.#field(collection);
      all.push(
        `${field}${random.chance(0.6) ? '' : random.pick(operators)}=${encodeURIComponent(String(this.#value(field.split('.').at(-1) ?? '')))}`,
      );
    }
    if (random.chance(0.08)) all.push(`words=${random.pick(['alpha', 'bet*', 'gamma'])}`);
    return all;
  }

  #one(collection: string): Omit<Request, 'as'> {
    const { random } = this;
    const expand = random.chance(0.2) ? `?expand=${random.pick(['book', 'author', 'book,author', 'nope'])}` : '';
    const headers = random.chance(0.2)
      ? { [random.pick(['If-None-Match', 'If-Match'])]: random.pick(['"1"', '"2"', '*', 'W/"1"']) }
      : {};
    return { method: 'GET', path: `/api/v2/${collection}/${this.#id()}${expand}`, headers };
  }

  #list(collection: string): Omit<Request, 'as'> {
    const { random } = this;
    const query = this.#filters(collection);
    if (random.chance(0.4)) query.push(`sort=${random.pick(['', '-'])}${this.#field(collection)}`);
    if (random.chance(0.2)) query.push(`fields=${this.#field(collection)},${this.#field(collection)}`);
    if (random.chance(0.2)) query.push('count=exact');
    if (random.chance(0.2)) query.push(`expand=${random.pick(['book', 'author', 'book,author'])}`);
    if (random.chance(0.5)) query.push(`limit=${1 + random.below(5)}`);
    if (random.chance(0.02)) query.push('explain=true');
    return { method: 'GET', path: `/api/v2/${collection}?${query.join('&')}` };
  }

  #export(collection: string): Omit<Request, 'as'> {
    const { random } = this;
    const query = this.#filters(collection);
    if (random.chance(0.3)) query.push(`sort=${this.#field(collection)}`);
    if (random.chance(0.3)) query.push(`fields=${this.#field(collection)}`);
    const headers = { Accept: random.pick(['text/csv', 'application/x-ndjson']) };
    const path = random.pick([`/api/v2/${collection}/export`, `/api/v2/${collection}`]);
    return { method: 'GET', path: `${path}?${query.join('&')}`, headers };
  }

  #summary(collection: string): Omit<Request, 'as'> {
    const { random } = this;
    const query = this.#filters(collection);
    if (random.chance(0.7)) query.push(`group=${this.#field(collection)}`);
    if (random.chance(0.6))
      query.push(`measures=count,${this.#field(collection)}.${random.pick(['sum', 'avg', 'min', 'max', 'distinct'])}`);
    return {
      method: 'GET',
      path: `/api/v2/${collection}/summary?${query.join('&')}`,
      headers: random.chance(0.3) ? { Accept: 'text/csv' } : {},
    };
  }

  #contract(): Omit<Request, 'as'> {
    const { random } = this;
    const prefix = random.pick(['/api', '/api/v1']);
    const id = 1 + random.below(12);
    return random.pick<() => Omit<Request, 'as'>>([
      () => ({ method: 'GET', path: `${prefix}/books` }),
      () => ({ method: 'GET', path: `${prefix}/books/${id}` }),
      () => ({ method: 'POST', path: `${prefix}/books`, body: { id, title: 'alpha', cost: '1.00' } }),
      () => ({ method: 'DELETE', path: `${prefix}/books/${id}` }),
    ])();
  }

  #changes(collection: string): Omit<Request, 'as'> {
    const { random } = this;
    const query = [`after=${random.below(3) * 10}`];
    if (random.chance(0.9)) query.push(`collection=${collection}`);
    query.push(...this.#filters(collection).filter(() => random.chance(0.4)));
    return { method: 'GET', path: `/api/v2/changes?${query.join('&')}&limit=${changesAtOnce}` };
  }

  /** Some fields: mostly those that may be sent. */
  #record(collection: string): Record<string, unknown> {
    const { random } = this;
    const usual: Readonly<Record<string, readonly string[]>> = {
      loans: ['book', 'due_on'],
      reviews: ['book', 'text', 'stars'],
      books: ['title'],
    };
    const names = [...(usual[collection] ?? ['text'])];
    if (random.chance(0.2)) names.push(this.#field(collection));
    if (random.chance(0.07)) names.pop();
    const valid: Record<string, unknown> = {
      book: 1 + random.below(6),
      stars: 1 + random.below(5),
      text: 'alpha',
      title: 'beta',
    };
    return Object.fromEntries(
      names.map((name) => [name, random.chance(0.75) ? (valid[name] ?? this.#value(name)) : this.#value(name)]),
    );
  }

  #patched(collection: string): Record<string, unknown> {
    const field = this.random.weighted([
      [3, collection === 'loans' ? 'due_on' : 'text'],
      [1, this.#field(collection)],
    ]);
    return { [field]: this.#value(field) };
  }

  #once(): Record<string, string> {
    const { random } = this;
    if (!random.chance(0.3)) return {};
    if (random.chance(0.6)) this.#keys++;
    return { 'Idempotency-Key': `key-${this.#keys}` };
  }

  #create(collection: string): Omit<Request, 'as'> {
    return { method: 'POST', path: `/api/v2/${collection}`, body: this.#record(collection), headers: this.#once() };
  }

  #update(collection: string): Omit<Request, 'as'> {
    const { random } = this;
    const path = `/api/v2/${collection}/${this.#id()}`;
    const headers: Record<string, string> = random.chance(0.2)
      ? { 'If-Match': random.pick(['"1"', '"2"', '"99"']) }
      : {};
    return random.chance(0.7)
      ? { method: 'PATCH', path, body: this.#patched(collection), headers }
      : { method: 'PUT', path, body: this.#record(collection), headers };
  }

  #remove(collection: string): Omit<Request, 'as'> {
    const { random } = this;
    const headers: Record<string, string> = random.chance(0.2) ? { 'If-Match': '"1"' } : {};
    return { method: 'DELETE', path: `/api/v2/${collection}/${this.#id()}`, headers };
  }

  #bulk(collection: string): Omit<Request, 'as'> {
    const { random } = this;
    const query = random.weighted([
      [6, ''],
      [2, '?dry_run=true'],
      [1, '?key=isbn'],
      [1, '?import=once'],
    ]);
    if (random.chance(0.3)) {
      const record = this.#record(collection);
      const csv = `${Object.keys(record).join()}\r\n${Object.values(record).join()}\r\n`;
      return {
        method: 'POST',
        path: `/api/v2/${collection}${query}`,
        body: csv,
        headers: { 'Content-Type': 'text/csv' },
      };
    }
    const lines = Array.from({ length: 1 + random.below(3) }, () => JSON.stringify(this.#record(collection))).join(
      '\n',
    );
    const path = random.pick([`/api/v2/${collection}`, `/api/v2/${collection}/bulk`]);
    const headers = { 'Content-Type': 'application/x-ndjson', ...this.#once() };
    return { method: 'POST', path: `${path}${query}`, body: lines, headers };
  }

  #operation(): object {
    const { random } = this;
    const collection = random.weighted([
      [5, 'loans'],
      [3, 'reviews'],
      [2, 'books'],
      [0.5, 'members'],
      [0.3, 'secrets'],
    ]);
    const id = this.#id();
    return random.weighted<() => object>([
      [3, () => ({ op: 'create', collection, record: this.#record(collection) })],
      [
        4,
        () => ({
          op: 'update',
          collection,
          id,
          record: this.#patched(collection),
          ...(random.chance(0.2) ? { version: 1 } : {}),
        }),
      ],
      [1, () => ({ op: 'update', collection, where: this.#where(collection), record: this.#patched(collection) })],
      [1, () => ({ op: 'add', collection, id, record: { [this.#field(collection)]: 1 } })],
      [1, () => ({ op: 'delete', collection, id })],
      [1, () => ({ op: 'delete', collection, where: this.#where(collection) })],
      [3, () => ({ op: 'check', collection, id, exists: random.chance(0.6) })],
      [2, () => ({ op: 'check', collection, id, where: this.#where(collection) })],
      [2, () => ({ op: 'check', collection, where: this.#where(collection), count: { gte: random.below(3) } })],
      [1, () => ({ op: 'upsert', collection: 'books', key: { isbn: 'alpha' }, record: { title: 'x' } })],
    ])();
  }

  #transaction(): Omit<Request, 'as'> {
    const { random } = this;
    const operations = Array.from({ length: 1 + random.below(3) }, () => this.#operation());
    const body = { operations, ...(random.chance(0.4) ? { return: 'records' } : {}) };
    return { method: 'POST', path: '/api/v2/transactions', body, headers: this.#once() };
  }

  #other(): Omit<Request, 'as'> {
    const { random } = this;
    const { method, path } = random.pick([
      ...this.others,
      { method: 'GET', path: '/api/v2' },
      { method: 'PUT', path: `/api/v2/${random.pick(collections)}` },
      { method: 'OPTIONS', path: `/api/v2/${random.pick(collections)}` },
      { method: 'HEAD', path: `/api/v2/books/${this.#id()}` },
    ]);
    const isGiven = method === 'POST' || method === 'PUT';
    return { method, path: path.replace(/\{\w+\}$/, '1'), ...(isGiven ? { body: {} } : {}) };
  }
}
