/** The outcome of a transaction of several operations as an answer. */
import type { Failure } from '../../../domain/errors.ts';
import { type Creator, operationFailure, withoutCreated } from '../../../domain/store/operation-failure.ts';
import type { Committed, MultiTransaction } from '../../../domain/store/transaction.ts';
import type { BatchOutcome, FailedOperation, TransactionResults } from '../batch/batch.ts';
import { respelled } from '../statements/respelled.ts';

/** Throws the failure of an operation. Undefined if the outcome is not one of a transaction. */
export function committedOf(transaction: MultiTransaction, outcome: BatchOutcome): Committed | undefined {
  if (typeof outcome !== 'object') return undefined;
  if ('fault' in outcome) throw failureOf(transaction, outcome);
  if ('results' in outcome) return { ...withRecords(transaction, outcome), isRepeated: false };
  // The results were stored with the key. The request is the same, so it has the same operations.
  if ('repeated' in outcome && 'json' in outcome)
    return { ...withRecords(transaction, JSON.parse(outcome.json) as TransactionResults), isRepeated: true };
  return undefined;
}

function withRecords({ operations, returnsRecords }: MultiTransaction, done: TransactionResults): TransactionResults {
  if (!returnsRecords) return done;
  const answered = operations.filter((step) => step.op !== 'check' || !step.isGuard);
  const results = done.results.map((result, index) => {
    const { collection } = answered[index] ?? {};
    if (collection === undefined || !('record' in result) || result.record === undefined) return result;
    return { ...result, record: { ...result.record, json: respelled(collection, result.record.json) } };
  });
  return { ...done, results };
}

function failureOf({ operations }: MultiTransaction, { operation, fault, added }: FailedOperation): Failure {
  const { collection } = operations[operation] ?? {};
  if (typeof fault === 'object' && 'outOfBounds' in fault) {
    const respell = collection?.fields[fault.outOfBounds]?.postgres.respell;
    return operationFailure(operation, { ...fault, sum: respell?.(fault.sum) ?? fault.sum });
  }
  const creator: Creator = (name, recordId) =>
    operations.findIndex((one, index) => one.collection.name === name && added[index] === recordId);
  return operationFailure(operation, withoutCreated(fault, collection?.name ?? '', creator));
}
