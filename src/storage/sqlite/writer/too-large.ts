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

/** Each takes two look-ups in the file: together some milliseconds. */
const samples = 256;
/** With fewer records among the samples, their number says little. */
const fewest = 16;
/** Bytes of a record in memory, besides its JSON, at least. */
const around = 64;
/** An estimate of twice the budget is not a mistake of sampling. */
const certainly = 2;

/** Looks whether there are records with random seqs: deleted ones leave gaps. */
export function isTooLarge({ after, last }: Source, limit: number): boolean {
  const highest = last();
  if (highest * around <= limit) return false;
  let found = 0;
  let bytes = 0;
  for (let sample = 0; sample < samples; sample++) {
    const seq = 1 + Math.floor(Math.random() * highest);
    const [record] = after(seq - 1, 1);
    if (record?.seq !== seq) continue;
    found++;
    bytes += record.json.length + around;
  }
  return found >= fewest && (bytes / samples) * highest > limit * certainly;
}
