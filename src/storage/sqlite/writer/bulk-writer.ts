/** Adds the records of bulks and of imported files to one table. */
import type { Bulked, Import, ImportBatch } from '../../../domain/store/bulk.ts';
import type { Placed } from '../../../domain/store/constraint-clash.ts';
import type { Once } from '../../../domain/store/once.ts';
import { areIn, importDigest, importedOf, importKey, type Known, knownOf, presentLines } from '../../bulk/imports.ts';
import { linesOf, type Spooled } from '../../bulk/spool.ts';
import { encodeBulked } from '../../bulk/spooled-bulk.ts';
import type { Stamp } from './clock.ts';
import type { IdempotencyKeys } from './idempotency-keys.ts';
import { BulkClashes, type Clashed, isClashed, type Outcome } from './outcome.ts';

/** The most clashing records that are reported for a bulk: enough to correct several at a time. */
const maxClashes = 100;

type Table = {
  readonly name: string;
  append(run: readonly string[], stamp: Stamp): (number | Clashed)[];
  lastRecordId(): number;
};

export function bulkWriter({ name, append, lastRecordId }: Table, idempotency: IdempotencyKeys) {
  function appendAll(spooled: Spooled, once: Once | undefined, stamp: Stamp): Outcome {
    const earlier = idempotency.earlier(name, once, stamp.at);
    if (earlier !== undefined) return earlier;
    const bulked = appendSpooled(spooled, stamp);
    if (once !== undefined) idempotency.store(name, once, stamp.at, bulked.first, encodeBulked(bulked));
    return bulked;
  }

  /** Adds the batches of a file that were not imported before. */
  function appendBatches(spooled: Spooled, { batches, keptMs, isAgain }: Import, stamp: Stamp): Outcome {
    const known = batches.map((batch) => (isAgain ? undefined : earlierBatch(batch, keptMs, stamp)));
    // If all batches were imported before, the spool is not read, because all writers wait meanwhile.
    const missing = areIn(batches, known) ? { size: 0 } : { without: presentLines(batches, known) };
    const bulked = appendSpooled({ ...spooled, ...missing }, stamp);
    const imported = importedOf(batches, known, bulked.first);
    for (const [place, batch] of batches.entries()) {
      const added = imported[place];
      if (added === undefined || added.earlier !== undefined) continue;
      idempotency.store(
        name,
        { key: importKey(batch), digest: importDigest },
        stamp.at,
        added.first,
        encodeBulked(added),
      );
    }
    return { ...bulked, batches: imported };
  }

  function earlierBatch(batch: ImportBatch, keptMs: number, stamp: Stamp): Known {
    const found = idempotency.found(name, importKey(batch), keptMs, stamp.at);
    return found && knownOf(found.at, found.record);
  }

  /** Throws BulkClashes. */
  function appendSpooled(spooled: Spooled, stamp: Stamp): Bulked {
    const first = lastRecordId() + 1;
    const clashes: Placed[] = [];
    let place = 0;
    for (const lines of linesOf(spooled)) {
      for (const outcome of append(lines, stamp)) {
        place++;
        if (isClashed(outcome) && clashes.length < maxClashes) clashes.push([place, outcome.clashes]);
      }
      if (clashes.length >= maxClashes) break;
    }
    if (clashes.length > 0) throw new BulkClashes({ bulkClashes: clashes, first, without: spooled.without });
    const last = lastRecordId();
    return { created: last + 1 - first, first, last };
  }

  return { appendAll, appendBatches };
}
