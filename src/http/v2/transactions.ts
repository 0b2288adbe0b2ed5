/** Transactions: operations on several records in one commit. */
import type { BoundAccess } from '../../domain/access/bound-access.ts';
import { seenIn } from '../../domain/access/view.ts';
import { authorOf, may } from '../../domain/caller.ts';
import type { FailureCode } from '../../domain/errors.ts';
import type { Json } from '../../domain/input/json.ts';
import { lazy } from '../../domain/lazy.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Store } from '../../domain/store/store.ts';
import type { Committed, MultiTransaction, StepResult } from '../../domain/store/transaction.ts';
import type { OperationName } from '../../domain/transaction/operation-members.ts';
import { TransactionReader } from '../../domain/transaction/read-transaction.ts';
import { compact } from '../../exact/json-text.ts';
import { requireScope } from '../access/auth.ts';
import { type Bodies, bodyFailures } from '../body/json-body.ts';
import { hideReferrers } from '../route/hide-referrers.ts';
import { jsonContent, type Operation, writeFailures } from '../route/operation.ts';
import { json } from '../route/reply.ts';
import type { Call, Route } from '../route/route.ts';
import { refTo } from '../route/schemas.ts';
import { forbidden, targetsFor, writerFor } from '../route/sight.ts';
import { onlyDryRunIn, tryTransaction } from './dry-run.ts';
import { targetsOf } from './expand.ts';
import { digestOf, idempotencyKeyOf, onceOf, replayed } from './idempotency-key.ts';
import { exampleDraft, idempotencyKey } from './operations.ts';

export type TransactionOptions = {
  readonly collections: readonly Collection[];
  readonly store: Store;
  readonly bodies: Bodies;
  /** In milliseconds: the TTL of an Idempotency-Key. */
  readonly idempotency: number;
};

const members = { keys: ['operations', 'return'], texts: ['operations', 'return'] };

/** In milliseconds. A thread reads so long without serving other requests. */
const turn = 4;

const failures = [
  ...['invalid_key', 'not_found', 'already_exists', 'reference_missing', 'still_referenced'],
  ...['check_failed', 'out_of_bounds', 'too_many_records', 'precondition_failed', 'key_reused', 'timed_out'],
] as readonly FailureCode[];

export function transactionRoute({ collections, store, bodies, idempotency }: TransactionOptions): Route {
  const byName = new Map(collections.map((one) => [one.name, one]));
  const operation = lazy(() => operationOf(collections));

  /** Throws `forbidden` before anything is judged. */
  async function readTransaction(sent: Json, call: Call) {
    const { caller, access } = call;
    const reader = new TransactionReader(sent, {
      collectionOf(name, needed, op) {
        const found = byName.get(name);
        if (found === undefined) return undefined;
        if (access !== undefined) return collectionIn(access, found, op);
        requireScope(caller, needed, name);
        return found;
      },
      get known() {
        return [...byName.keys()].filter((name) =>
          access === undefined ? may(caller, 'read', name) : access.viewOf({ name }) !== undefined,
        );
      },
      targetOf: targetsFor(call, () => targetsOf(collections, caller)),
    });
    for (let start = performance.now(); reader.next(); )
      if (performance.now() - start > turn) {
        await new Promise(setImmediate);
        start = performance.now();
      }
    return reader.end();
  }

  return {
    method: 'POST',
    sight: 'records',
    path: '/api/v2/transactions',
    // Each operation needs its own scope, which the handler checks.
    access: 'key',
    collection: 'by query',
    readsQuery: true,
    get operation() {
      return operation();
    },
    handle: async (call) => {
      const { request, caller, trace } = call;
      const isDry = onlyDryRunIn(call.search);
      const key = idempotencyKeyOf(request, caller);
      const sent = await bodies.read(call, members);
      const read = await readTransaction(sent, call);
      const transaction = { ...read, by: authorOf(caller), trace, permitted: caller.collections };
      const commit = (all: MultiTransaction) => hideReferrers(caller, store.writes.commit(writerFor(call), all));
      if (isDry) {
        await tryTransaction(transaction, commit);
        return json(200, '{"dry_run":true}');
      }
      const once = onceOf(key, idempotency, () => {
        const digest = digestOf(members.texts.map((name) => compact(sent.text(name) ?? '')).join('\n'));
        return { digest, former: digest };
      });
      const { operations } = transaction;
      const committed = await commit({ ...transaction, once });
      const collectionAt = (index: number) => operations[index]?.collection;
      return json(200, textOf(committed, collectionAt), replayed(committed.isRepeated));
    },
  };
}

/** The collection as a role sees it, and as it may write it. Undefined if it does not exist for the role; throws `forbidden`. */
function collectionIn(
  access: BoundAccess,
  collection: Collection,
  op: OperationName | undefined,
): Collection | undefined {
  const rights = access.rightsOf(collection);
  if (rights === undefined) return undefined;
  if (op === undefined || op === 'check') return seenIn(rights.view);
  const right = op === 'replace' || op === 'add' ? 'update' : op;
  if (right === 'delete') return rights.delete === undefined ? refuse() : seenIn(rights.view);
  return rights[right]?.body ?? refuse();

  function refuse(): never {
    throw forbidden({ access }, op ?? '', collection);
  }
}

function textOf(
  { results, firstChange, lastChange }: Committed,
  collectionAt: (index: number) => Collection | undefined,
): string {
  const texts = results.map((result, index) => resultText(result, collectionAt(index)));
  return `{"results":[${texts.join()}],"first_change":${firstChange},"last_change":${lastChange}}`;
}

function resultText(result: StepResult, collection: Collection | undefined): string {
  if ('count' in result) return `{"count":${result.count}}`;
  if ('record' in result && result.record !== undefined && collection !== undefined)
    return collection.record.encodeRecorded(result.record);
  return `{"id":${result.recordId},"version":${result.version}}`;
}

function operationOf(collections: readonly Collection[]): Operation {
  const [first] = collections;
  const record = first && exampleDraft(first);
  return {
    id: 'commitTransactionV2',
    tag: 'v2 transactions',
    summary: 'Commit several operations together: all of them, or none',
    description:
      'Each operation sees those before it. `update`, `add` and `delete` have an `id`, or `where` for all records that match. `check` has an `id`, or `where` and `count`. `?dry_run=true` judges everything, changes nothing and answers 200 with `{"dry_run":true}`, or the failure.',
    problems: true,
    body: jsonContent(
      refTo('TransactionRequest'),
      record && {
        operations: [
          { op: 'check', collection: first.name, where: {}, count: { lt: 1000 } },
          { op: 'create', collection: first.name, as: 'new', record },
          { op: 'check', collection: first.name, id: { created: 'new' }, version: 1 },
        ],
      },
    ),
    answers: [
      {
        status: 200,
        description: 'The result of each operation, and the numbers of the changes.',
        headers: ['Idempotent-Replayed'],
        content: jsonContent(refTo('TransactionResults'), {
          results: [{ count: 1 }, { id: 2, version: 1 }, { id: 2, version: 1 }],
          first_change: 2,
          last_change: 2,
        }),
      },
    ],
    headers: [idempotencyKey],
    failures: [...bodyFailures, ...failures, ...writeFailures],
  };
}
