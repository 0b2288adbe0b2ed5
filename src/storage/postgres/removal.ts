/** The deletion of the first record with an id, under a precondition on the bytes that clients are shown. */
import { Failure } from '../../domain/errors.ts';
import { holds, type Precondition } from '../../domain/precondition.ts';
import type { Unchanged } from '../../domain/store.ts';
import { contentTag } from '../content-tag.ts';
import type { VersionsMeant } from './batch.ts';

type First = { readonly seq: number; readonly version: number; readonly bytes: Uint8Array };

/**
 * PostgreSQL cannot make those bytes, so they are judged here; the function that writes then makes sure, under its lock, that
 * the record with this number is still the first and still has this version, which no other content ever has. Where it
 * does not, another write came between, and the record that is the first now is judged.
 */
export async function removeMeant(
  when: Precondition<string> | undefined,
  timeoutMs: number,
  read: () => Promise<First | undefined>,
  remove: (first: number | undefined, versions: VersionsMeant) => Promise<'done' | Unchanged>,
): Promise<'done' | Unchanged> {
  if (when === undefined) return remove(undefined, undefined);
  // No tag can help, and whether there is a record is judged with the write.
  if (when.noneMatch === '*') return remove(undefined, { match: undefined, noneMatch: '*' });
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    const first = await read();
    if (first === undefined) return 'missing';
    if (!holds(when, () => contentTag(first.bytes))) return 'conflict';
    const removed = await remove(first.seq, { match: [first.version], noneMatch: undefined });
    if (removed !== 'conflict') return removed;
  }
  throw new Failure('storage_unavailable');
}
