/** Deletions that other records prevent. */
import { type Caller, may } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';

/** A caller learns nothing of collections that it may not read, not even that they refer to this record. */
export async function removing<Result>(caller: Caller, removal: Promise<Result>): Promise<Result> {
  try {
    return await removal;
  } catch (error) {
    const other = error instanceof Failure ? error.members?.collection : undefined;
    if (!(error instanceof Failure) || typeof other !== 'string' || may(caller, 'read', other)) throw error;
    throw error.code === 'forbidden'
      ? new Failure('forbidden', { detail: 'Deleting this record would change records that this key may not write.' })
      : new Failure(error.code);
  }
}
