/** Errors that end a transaction and roll back the operations before. */
import type { OperationFault } from '../../../../domain/store/operation-failure.ts';
import { isClashed, isOutOfBounds, isUnchanged, type Outcome, type OutOfBounds } from '../thread/outcome.ts';

/** Thrown within an operation. */
export class Fault extends Error {
  constructor(readonly fault: OperationFault) {
    super('the operation failed');
  }
}

/** Thrown out of the transaction. */
export class OperationFailed extends Error {
  constructor(
    readonly operation: number,
    readonly fault: OperationFault,
  ) {
    super('an operation of a transaction failed');
  }
}

/** For an outcome that is a failure of the operation. */
export function faultOf(outcome: Outcome | OutOfBounds): Error {
  if (isOutOfBounds(outcome) || isClashed(outcome) || isUnchanged(outcome)) return new Fault(outcome);
  return new Error(`unexpected outcome of an operation: ${JSON.stringify(outcome)}`);
}
