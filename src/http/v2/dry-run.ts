/** `?dry_run=true`: a request is judged where writes are ordered, and changes nothing. */
import { Failure } from '../../domain/errors.ts';
import { invalidParameter, parametersOf, repeatedParameter, unknownParameter } from '../../domain/input/parameters.ts';
import type { Step } from '../../domain/store/operation.ts';
import type { Committed, MultiTransaction } from '../../domain/store/transaction.ts';

/** The value of the parameter. Throws `invalid_query`. */
export function isDryRun(value = 'false'): boolean {
  if (value !== 'true' && value !== 'false') throw invalidParameter('dry_run', 'true or false', value);
  return value === 'true';
}

/** For a path without other parameters. Throws `invalid_query`. */
export function onlyDryRunIn(search: string): boolean {
  const parameters = parametersOf(search);
  const other = parameters.find(([name]) => name !== 'dry_run');
  if (other !== undefined) throw unknownParameter(other[0], ['dry_run']);
  if (parameters.length > 1) throw repeatedParameter('dry_run');
  return isDryRun(parameters[0]?.[1]);
}

/** Resolves if the transaction could be committed now, and rejects with its failure if not. */
export async function tryTransaction(
  transaction: MultiTransaction,
  commit: (transaction: MultiTransaction) => Promise<Committed>,
): Promise<void> {
  const { operations } = transaction;
  const [first] = operations;
  if (first === undefined) return;
  // No record has this id, so the last operation takes all others back.
  const last: Step = { op: 'check', collection: first.collection, recordId: 0, exists: true };
  try {
    await commit({ ...transaction, operations: [...operations, last] });
  } catch (error) {
    if (!(error instanceof Failure) || error.members?.operation !== operations.length) throw error;
  }
}
