/**
 * Estimates whether a collection is certainly too large for memory. Filling memory up to the budget only to drop it all would take the
 * writing thread seconds at each start.
 */
import type { Read } from '../../reads/reader.ts';

export type Source = {
  /** At most `limit` records after `recordId`, in insertion order, as they were after the last commit. */
  after(recordId: number, limit: number): readonly Read[];
  /** The highest record id; 0 without records. */
  last(): number;
};

/** The number of look-ups in the file. */
const samples = 128;
/** Look-ups before it yields to the event loop: on a slow disk each takes milliseconds. */
const perTurn = 4;
/** With fewer hits, the estimate is not reliable. */
const fewest = 16;
/** The least overhead of a record in memory, in bytes. */
const around = 64;
/** The factor by which the estimate must exceed the budget, so that a sampling error does not decide. */
const certainly = 2;

/** A first estimate from the highest record id alone, without reading records. */
export function mayBeTooLarge({ last }: Source, limit: number): boolean {
  return last() * around > limit;
}

/** Samples random record ids: a miss is a deleted record, so the hits also estimate the number of records. */
export async function isTooLarge({ after, last }: Source, limit: number): Promise<boolean> {
  const highest = last();
  let found = 0;
  let bytes = 0;
  for (let sample = 0; sample < samples; sample++) {
    if (sample % perTurn === 0) await new Promise(setImmediate);
    const recordId = 1 + Math.floor(Math.random() * highest);
    const [record] = after(recordId - 1, 1);
    if (record?.recordId !== recordId) continue;
    found++;
    bytes += record.json.length + around;
  }
  return found >= fewest && (bytes / samples) * highest > limit * certainly;
}
