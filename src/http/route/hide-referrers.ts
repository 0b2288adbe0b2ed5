/** Failures of deletions, without the names of collections that the caller may not read. */
import { type Caller, may } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';

/** A caller learns nothing of collections that it may not read, not even that they refer to this record. */
export async function hideReferrers<Result>(caller: Caller, deletion: Promise<Result>): Promise<Result> {
  try {
    return await deletion;
  } catch (error) {
    const other = error instanceof Failure ? error.members?.collection : undefined;
    if (!(error instanceof Failure) || typeof other !== 'string' || may(caller, 'read', other)) throw error;
    // The index of the operation, in a transaction.
    const { operation } = error.members ?? {};
    const members = operation === undefined ? {} : { members: { operation } };
    throw error.code === 'forbidden'
      ? new Failure('forbidden', {
          detail: 'Deleting this record would change records that this key may not write.',
          ...members,
        })
      : new Failure(error.code, members);
  }
}
