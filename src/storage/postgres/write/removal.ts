/** Deletes the first record with an id, under a precondition on the bytes that clients see. */
import { Failure } from '../../../domain/errors.ts';
import { holds, type Precondition } from '../../../domain/store/precondition.ts';
import type { Unchanged } from '../../../domain/store/transaction.ts';
import { contentTag } from '../../content-tag.ts';
import type { VersionPrecondition } from '../batch/members.ts';

type First = { readonly recordId: number; readonly version: number; readonly bytes: Uint8Array };

/**
 * PostgreSQL cannot produce these bytes, so the precondition is evaluated here. The write function then checks, under its
 * lock, that the record is still the first with this id and still has this version; a version never has two contents. If not,
 * another write came in between, and the precondition is evaluated for the new first record.
 */
export async function removeFirst<Done>(
  when: Precondition<string> | undefined,
  timeoutMs: number,
  read: () => Promise<First | undefined>,
  remove: (first: number | undefined, versions: VersionPrecondition) => Promise<Done>,
): Promise<Done | Unchanged> {
  if (when === undefined) return remove(undefined, undefined);
  // No tag can satisfy it; the write function decides between `missing` and `conflict`.
  if (when.noneMatch === '*') return remove(undefined, { match: undefined, noneMatch: '*' });
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    const first = await read();
    if (first === undefined) return 'missing';
    if (!holds(when, () => contentTag(first.bytes))) return 'conflict';
    const removed = await remove(first.recordId, { match: [first.version], noneMatch: undefined });
    if (removed !== 'conflict') return removed;
  }
  throw new Failure('storage_unavailable');
}
