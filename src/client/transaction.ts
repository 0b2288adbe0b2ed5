/** Sends the operations that a function collects, and puts their results in place of what was pending. */
import { byName } from './by-name.ts';
import { answerIn, type Declarations } from './declarations.ts';
import { Collected, CollectionOperations, Pending } from './operations.ts';
import { invalidArgument, type Problem, ShelfError, withMore } from './send/failure.ts';
import { keyOf } from './send/idempotency-key.ts';
import { api, type CallOptions, type CreateOptions, type Request } from './send/sender.ts';
import { restored } from './values/digits.ts';

/** The function of a transaction. */
export type Collect = (operations: object) => unknown;
type Options = CreateOptions & { readonly return?: 'records' | undefined };
type Result = Record<string, unknown>;
type Answer = {
  readonly results: readonly Result[];
  readonly first_change: unknown;
  readonly last_change: unknown;
};

export async function transact(declarations: Declarations, collect: Collect, options: Options = {}): Promise<unknown> {
  const collected = new Collected();
  const returned = run(collect, collected);
  const nothing: Answer = { results: [], first_change: null, last_change: null };
  const answer = collected.size === 0 ? nothing : await commit(declarations, collected, options);
  return settled(returned, collected, answer);
}

/** Throws `invalid_argument` if the function is async. */
function run(collect: Collect, collected: Collected): unknown {
  const operationsOf = (name: string) => new CollectionOperations(name, collected);
  try {
    const returned = collect(byName([['changes', collected.changes]], operationsOf));
    if (!isPromise(returned)) return returned;
    // It fails at its first operation after an `await`, and nothing waits for it.
    returned.then(undefined, () => {});
    throw invalidArgument(
      'The function of a transaction returned a promise: it only collects operations, so it must not be async. Read before the transaction.',
    );
  } finally {
    collected.close();
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function';
}

async function commit(declarations: Declarations, collected: Collected, options: Options): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': keyOf(options.idempotencyKey) };
  const body = collected.bodyOf(options.return);
  const request: Request = { method: 'POST', path: `${api}/transactions`, safety: 'keyed', headers, body };
  const hasRecords = options.return !== undefined;
  // They come first: no write succeeds whose answer cannot be read.
  if (hasRecords) await declarations.known(options);
  const text = await send(declarations, collected, request, options);
  if (!hasRecords) return answerIn(text, (parsed) => restored(parsed.value, parsed) as Answer);
  return declarations.decode(
    text,
    (value, decoder) => {
      const { results, ...changes } = value as Answer;
      results.forEach((result, index) => {
        const collection = collected.collectionAt(index) ?? '';
        if ('id' in result) decoder.record(collection, result);
      });
      return { results, ...(restored(changes, decoder.parsed) as Omit<Answer, 'results'>) };
    },
    options,
  );
}

async function send(
  { sender }: Declarations,
  collected: Collected,
  request: Request,
  options: CallOptions,
): Promise<string> {
  try {
    return await sender.send(request, options);
  } catch (error) {
    if (!(error instanceof ShelfError)) throw error;
    const { operation } = error.details as { readonly operation?: number };
    const problems = error.problems.map((problem) => inOperation(problem, collected));
    throw withMore(error, { operation, collection: collected.collectionAt(operation), problems });
  }
}

/** The field of `#/operations/3/record/due_on` is `due_on`. */
function inOperation(problem: Problem, collected: Collected): Problem {
  const [, index, place] = /^#\/operations\/(\d+)(?:\/(.*))?$/.exec(problem.pointer ?? '') ?? [];
  if (index === undefined) return problem;
  const operation = Number(index);
  const field = place?.replace(/^(?:record|key|where)\/([^/]+).*$/, '$1').split('/')[0];
  return {
    ...problem,
    field: field === undefined ? undefined : decodeURIComponent(field),
    operation,
    collection: collected.collectionAt(operation),
  };
}

/** A copy of arrays and plain objects, in which each pending result is replaced. */
function settled(value: unknown, collected: Collected, { results, first_change, last_change }: Answer): unknown {
  const copies = new Map<object, object>();
  const settle = (one: unknown): unknown => {
    if (typeof one !== 'object' || one === null) return one;
    if (one === collected.changes)
      return first_change === null ? null : { firstChange: first_change, lastChange: last_change };
    if (one instanceof Pending) return one.collected === collected ? results[one.index ?? -1] : one;
    const known = copies.get(one);
    if (known !== undefined || !isPlain(one)) return known ?? one;
    const copy: Record<string, unknown> = Array.isArray(one) ? ([] as unknown[] as never) : {};
    copies.set(one, copy);
    for (const [name, member] of Object.entries(one)) copy[name] = settle(member);
    return copy;
  };
  return settle(value);
}

function isPlain(value: object): boolean {
  return Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value));
}
