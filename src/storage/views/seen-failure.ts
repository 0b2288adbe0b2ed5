/** Failures of writes as a caller with a role may see them: nothing in them depends on records or fields that are hidden from it. */
import type { BoundAccess } from '../../domain/access/bound-access.ts';
import { seenIn } from '../../domain/access/view.ts';
import { Failure, invalidBody, type Problem, type Specifics } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { clashFailure } from '../../domain/store/constraint-clash.ts';
import { type Guarded, type Meaning, whyNot } from './guarded-steps.ts';

/** `isAlone`: the caller asked for one operation, and not for a transaction. */
export function seenFailure(
  access: BoundAccess,
  guarded: readonly Guarded[],
  failure: Failure,
  isAlone: boolean,
): Failure {
  const index = failure.members?.operation;
  const failed = typeof index === 'number' ? guarded[index] : undefined;
  if (failed === undefined) return failure;
  const seen = failureOf(access, failed, failure);
  return isAlone ? seen : ofOperation(seen, failed.operation);
}

function failureOf(access: BoundAccess, { step, meaning }: Guarded, failure: Failure): Failure {
  const rights = access.rightsOf(step.collection);
  if (meaning.kind !== 'own')
    return failure.code === 'too_many_records' ? withoutMembers(failure) : meant(meaning, failure);
  const seen = rights === undefined ? step.collection : seenIn(rights.view);
  switch (failure.code) {
    case 'forbidden':
      return new Failure('forbidden', {
        detail:
          rights === undefined
            ? 'The record after the change is not allowed.'
            : `${whyNot(rights, step.op === 'create' ? 'create' : 'update').slice(0, -1)} as it is after the change.`,
      });
    case 'already_exists':
      return taken(
        (failure.problems ?? []).flatMap(({ field }) => field ?? []),
        seen,
      );
    case 'reference_missing':
    case 'still_referenced':
      return new Failure(failure.code);
    case 'invalid_body':
      return invalidBody(step.collection.singular, visibleProblems(failure, seen));
    default:
      return withoutMembers(failure);
  }
}

function meant(meaning: Exclude<Meaning, { kind: 'own' }>, failure: Failure): Failure {
  switch (meaning.kind) {
    case 'missing':
      return new Failure('not_found');
    case 'unmatched':
      return new Failure('check_failed', {
        detail: 'The record is not as the operation requires: fetch it, and decide again.',
      });
    case 'forbidden':
      return new Failure('forbidden', { detail: meaning.why });
    case 'no target':
      return clashFailure([{ missing: meaning.field, to: meaning.to, id: meaning.id }]);
    case 'taken':
      return new Failure(failure.code === 'check_failed' ? 'already_exists' : failure.code);
  }
}

/** A clash says that a value is taken, and not by which record. */
function taken(fields: readonly string[], { columns }: Collection): Failure {
  const visible = [...new Set(fields)].filter((field) => columns.has(field));
  if (visible.length === 0) return new Failure('already_exists');
  const others = (field: string) => visible.filter((other) => other !== field);
  const problems = visible.map((field) => ({
    field,
    message: `must be unique${others(field).length === 0 ? '' : ` together with ${others(field).join(', ')}`}; another record has ${visible.length === 1 ? 'this value' : 'these values'}`,
  }));
  return new Failure('already_exists', {
    detail: `${problems.map((one) => `${one.field} ${one.message}`).join('; ')}.`,
    problems,
  });
}

/** What is wrong with a hidden field is wrong with the record as a whole. */
function visibleProblems({ problems = [] }: Failure, { columns }: Collection): readonly Problem[] {
  const visible = problems.filter(({ field }) => field !== undefined && columns.has(field));
  return visible.length > 0
    ? visible.map(({ field, message }) => ({ field, message }))
    : [{ field: undefined, message: 'breaks a rule of the collection' }];
}

function withoutMembers({ code, detail, problems }: Failure): Failure {
  return new Failure(code, {
    detail: detail.replace(/^Operation \d+: /, ''),
    ...(problems === undefined ? {} : { problems: problems.map(({ field, message }) => ({ field, message })) }),
  });
}

function ofOperation({ code, detail, problems }: Failure, operation: number): Failure {
  const specifics: Specifics = { detail: `Operation ${operation}: ${detail}`, members: { operation } };
  if (problems === undefined) return new Failure(code, specifics);
  const at = ['operations', operation, 'record'];
  return new Failure(code, { ...specifics, problems: problems.map((problem) => ({ ...problem, at })) });
}
