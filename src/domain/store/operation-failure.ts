/** Why an operation of a transaction fails: the first one that does is the answer, and nothing is changed. */
import { Failure, type Specifics } from '../errors.ts';
import { type Clash, clashFailure } from './constraint-clash.ts';
import { maxChanges, maxExamined, maxMatching, maxRecordBytes } from './operation.ts';
import type { Unchanged } from './transaction.ts';

export type OperationFault =
  | Unchanged
  | { readonly clashes: readonly Clash[] }
  /** A check does not hold, with the number of records that match. */
  | { readonly count: number }
  /** `where` of one record, or `exists`, does not hold. */
  | 'unmatched'
  /** The record after the change is not as it must be. */
  | 'refused'
  /** The sum of this field is out of its bounds. */
  | { readonly outOfBounds: string; readonly sum: string }
  | TooMany;

/** More records match than may be changed, or more had to be read than may be; or the whole transaction is too much. */
type TooMany = 'too many to change' | 'too many to read' | 'too many changes' | 'too large';

const tooMany: Readonly<Record<TooMany, string>> = {
  'too many to change': `More than ${maxMatching} records match: narrow "where", and change them in several transactions.`,
  'too many to read': `Finding the records that match takes more than ${maxExamined.records} records or ${maxExamined.ms} ms: declare an index of the fields in "where".`,
  'too many changes': `The transaction makes more than ${maxChanges} changes, with those of cascades: divide it.`,
  'too large': `The records that the transaction reads and changes have more than ${maxRecordBytes / 2 ** 20} MiB together: divide it.`,
};

/** The operation that has created a record of a collection; below 0 if none has. */
export type Creator = (collection: string, recordId: number) => number;

/** A record that the transaction has created is not there any more: the failure names the operation instead. `name` is the collection of the one that fails. */
export function withoutCreated(fault: OperationFault, name: string, creator: Creator): OperationFault {
  if (typeof fault === 'string' || !('clashes' in fault)) return fault;
  return { clashes: fault.clashes.map((clash) => byOperation(clash, name, creator)) };
}

function byOperation(clash: Clash, name: string, creator: Creator): Clash {
  if ('clears' in clash) return { ...clash, because: byOperation(clash.because, clash.clears, creator) };
  const by = 'taken' in clash ? creator(name, clash.by) : -1;
  return 'taken' in clash && by >= 0 ? { ...clash, by, isNew: 'by operation' } : clash;
}

/** `operation` is its index. */
export function operationFailure(operation: number, fault: OperationFault): Failure {
  const { code, detail, problems, members } = failureOf(fault);
  const specifics: Specifics = { detail: `Operation ${operation}: ${detail}`, members: { ...members, operation } };
  if (problems === undefined) return new Failure(code, specifics);
  const at = ['operations', operation, 'record'];
  return new Failure(code, { ...specifics, problems: problems.map((problem) => ({ ...problem, at })) });
}

function failureOf(fault: OperationFault): Failure {
  if (fault === 'missing') return new Failure('not_found');
  if (fault === 'conflict')
    return new Failure('precondition_failed', { detail: 'The record has another version: fetch it, and retry.' });
  if (fault === 'unmatched')
    return new Failure('check_failed', {
      detail: 'The record is not as the operation requires: fetch it, and decide again.',
    });
  if (fault === 'refused')
    return new Failure('forbidden', { detail: 'The record after the change is not one that the caller may write.' });
  if (typeof fault === 'string') return new Failure('too_many_records', { detail: tooMany[fault] });
  if ('clashes' in fault) return clashFailure(fault.clashes);
  if ('count' in fault)
    return new Failure('check_failed', {
      detail: `${fault.count} records match, which "count" does not allow.`,
      members: { count: fault.count },
    });
  return new Failure('out_of_bounds', {
    detail: `The sum of ${fault.outOfBounds} would be ${fault.sum}, which is out of its bounds.`,
    problems: [{ field: fault.outOfBounds, message: `would be ${fault.sum}, which is out of its bounds` }],
  });
}
