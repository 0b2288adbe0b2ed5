/**
 * Whether a collection is certainly too large for memory. To fill memory until the budget is exceeded, and then drop it all, would take
 * seconds of the writing thread at each start.
 */
import type { Read } from '../reads/reader.ts';

export type Source = {
  /** At most `limit` records after `seq`, in insertion order, as they were after the last commit. */
  after(seq: number, limit: number): readonly Read[];
  /** The highest seq; 0 without records. */
  last(): number;
};

/** Each is a look-up in the file. */
const samples = 128;
/** Look-ups before the event loop gets a turn: on a slow disk each takes milliseconds. */
const perTurn = 4;
/** With fewer records among the samples, their number says little. */
const fewest = 16;
/** Bytes of a record in memory, besides its JSON, at least. */
const around = 64;
/** An estimate of twice the budget is not a mistake of sampling. */
const certainly = 2;

/** Without a look at its records. */
export function mayBeTooLarge({ last }: Source, limit: number): boolean {
  return last() * around > limit;
}

/** Looks whether there are records with random seqs: deleted ones leave gaps. */
export async function isTooLarge({ after, last }: Source, limit: number): Promise<boolean> {
  const highest = last();
  let found = 0;
  let bytes = 0;
  for (let sample = 0; sample < samples; sample++) {
    if (sample % perTurn === 0) await new Promise(setImmediate);
    const seq = 1 + Math.floor(Math.random() * highest);
    const [record] = after(seq - 1, 1);
    if (record?.seq !== seq) continue;
    found++;
    bytes += record.json.length + around;
  }
  return found >= fewest && (bytes / samples) * highest > limit * certainly;
}
