/** Collects the operations of a transaction, without their types: `transaction-api.ts` has those. */
import { conditionsJson } from './query.ts';
import { invalidArgument } from './send/failure.ts';
import { idOf, type Target, versionOf } from './target.ts';
import { encode } from './values/encode.ts';

/** The result of an operation before the commit. */
export class Pending {
  /** `index` is that of the operation; undefined for the changes of the whole transaction. */
  constructor(
    readonly collected: Collected,
    readonly index: number | undefined,
    readonly collection: string,
  ) {}

  /** Where a record refers to it. */
  toJSON(): object {
    return { created: this.collected.nameOf(this) };
  }
}

/** The operations so far. */
export class Collected {
  readonly changes = new Pending(this, undefined, '');
  /** In the order of the operations. */
  readonly #pending: Pending[] = [];
  /** Each without its closing brace: a later operation may still name the record. */
  readonly #texts: string[] = [];
  readonly #created = new Set<Pending>();
  readonly #named = new Set<Pending>();
  #isEncoding = false;
  #isClosed = false;

  get size(): number {
    return this.#texts.length;
  }

  /** Nothing is collected any more. */
  close(): void {
    this.#isClosed = true;
  }

  /** The members are encoded at once, as they are now. Throws `invalid_argument`. */
  add(op: string, collection: string, members: object): Pending {
    if (this.#isClosed)
      throw invalidArgument(
        `${op} on ${collection} comes too late: a transaction has the operations that its function collects before it returns.`,
      );
    this.#isEncoding = true;
    try {
      let text = `{"op":"${op}","collection":"${collection}"`;
      for (const [name, value] of Object.entries(members)) {
        const json = isCondition(name) ? conditionsJson : encode;
        text += `,${JSON.stringify(name)}:${json(value, `${name} of ${op} on ${collection}`)}`;
      }
      const pending = new Pending(this, this.#texts.push(text) - 1, collection);
      this.#pending.push(pending);
      if (op === 'create') this.#created.add(pending);
      return pending;
    } finally {
      this.#isEncoding = false;
    }
  }

  /** Throws `invalid_argument`. */
  nameOf(pending: Pending): string {
    if (!this.#isEncoding)
      throw invalidArgument(
        'A pending result is used outside of its transaction: use the id in what the transaction resolves to.',
      );
    if (!this.#created.has(pending))
      throw invalidArgument(
        'A pending result is used as a record, and is not one of create: only those have an id for later operations.',
      );
    this.#named.add(pending);
    return String(pending.index);
  }

  collectionAt(index: number | undefined): string | undefined {
    return index === undefined ? undefined : this.#pending[index]?.collection;
  }

  bodyOf(returns: string | undefined): string {
    const operations = this.#pending.map((one, index) => {
      const name = this.#named.has(one) ? `,"as":"${index}"` : '';
      return `${this.#texts[index]}${name}}`;
    });
    return `{"operations":[${operations.join()}]${returns === undefined ? '' : `,"return":${encode(returns, 'return')}`}}`;
  }
}

/** A member of it that is undefined is refused: without it, less would be checked. */
const isCondition = (name: string) => name === 'where' || name === 'count';

type OneTarget = Target | bigint | Pending;
type Condition = { readonly exists?: boolean; readonly count?: unknown };

/** The operations of one collection. */
export class CollectionOperations {
  constructor(
    readonly name: string,
    readonly collected: Collected,
  ) {}

  create(record: object): Pending {
    return this.#add('create', { record });
  }

  update(target: OneTarget, record: object, conditions: Condition = {}): Pending {
    return this.#add('update', { ...this.#one(target, conditions), record });
  }

  replace(target: OneTarget, record: object, conditions: Condition = {}): Pending {
    return this.#add('replace', { ...this.#one(target, conditions), record });
  }

  add(target: OneTarget, record: object, conditions: Condition = {}): Pending {
    return this.#add('add', { ...this.#one(target, conditions), record });
  }

  delete(target: OneTarget, conditions: Condition = {}): Pending {
    return this.#add('delete', this.#one(target, conditions));
  }

  upsert(key: object, record: object): Pending {
    return this.#add('upsert', { key, record });
  }

  /** A filter may have `id` and `version` as a record has them: the count tells. */
  check(target: OneTarget | object, condition: Condition = {}): Pending {
    const members = 'count' in condition ? matching(target, condition) : this.#one(target as OneTarget, condition);
    return this.#add('check', members);
  }

  updateWhere(where: object, record: object, condition: Condition = {}): Pending {
    return this.#add('update', { ...matching(where, condition), record });
  }

  addWhere(where: object, record: object, condition: Condition = {}): Pending {
    return this.#add('add', { ...matching(where, condition), record });
  }

  deleteWhere(where: object, condition: Condition = {}): Pending {
    return this.#add('delete', matching(where, condition));
  }

  #add(op: string, members: object): Pending {
    return this.collected.add(op, this.name, members);
  }

  #one(target: OneTarget, conditions: Condition): object {
    if (target instanceof Pending) return { id: target, ...conditions };
    const one = typeof target === 'bigint' ? Number(target) : target;
    const version = conditions.exists === false ? undefined : versionOf(one);
    return { id: idOf(one, this.name), ...(version === undefined ? {} : { version }), ...conditions };
  }
}

/** A plain count means `eq`. */
function matching(where: unknown, condition: Condition): object {
  const { count } = condition;
  return { where, ...condition, ...(typeof count === 'number' ? { count: { eq: count } } : {}) };
}
