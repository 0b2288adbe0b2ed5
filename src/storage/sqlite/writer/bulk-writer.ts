/** Adds the records of bulks and of imported files to one table. With a key it updates those that are there. */
import { type KeyedText, readKeyed } from '../../../domain/record/keyed-text.ts';
import type { Bulked, Import, ImportBatch } from '../../../domain/store/bulk.ts';
import type { Placed } from '../../../domain/store/constraint-clash.ts';
import type { Once } from '../../../domain/store/once.ts';
import {
  areIn,
  BatchUpdates,
  importDigest,
  importedOf,
  importKey,
  type Known,
  knownOf,
  presentLines,
} from '../../bulk/imports.ts';
import { NewPlaces } from '../../bulk/new-places.ts';
import { linesOf, type Spooled } from '../../bulk/spool.ts';
import { encodeBulked } from '../../bulk/spooled-bulk.ts';
import type { Stamp } from './clock.ts';
import type { IdempotencyKeys } from './idempotency-keys.ts';
import { KeyedChanges } from './keyed-changes.ts';
import { BulkClashes, type Clashed, type KeyedChange, type Outcome } from './thread/outcome.ts';
import type { UniqueKey } from './transaction/transaction-message.ts';

/** The most clashing records that are reported for a bulk: enough to correct several at a time. */
const maxClashes = 100;

type Table = {
  readonly name: string;
  append(run: readonly string[], stamp: Stamp): (number | Clashed)[];
  /** Sees the records before. */
  upsert(record: KeyedText, key: UniqueKey, stamp: Stamp): KeyedChange | Clashed;
  lastRecordId(): number;
};

/** `changes` are those of a bulk with a key; undefined if they are too many. */
export type BulkApplied = { readonly outcome: Outcome; readonly changes?: readonly KeyedChange[] | undefined };

export function bulkWriter({ name, append, upsert, lastRecordId }: Table, idempotency: IdempotencyKeys) {
  function appendAll(spooled: Spooled, key: UniqueKey | undefined, once: Once | undefined, stamp: Stamp): BulkApplied {
    const earlier = idempotency.earlier(name, once, stamp.at);
    if (earlier !== undefined) return { outcome: earlier };
    const { outcome, changes } = storeSpooled(spooled, key, stamp);
    if (once !== undefined) idempotency.store(name, once, stamp.at, outcome.first, encodeBulked(outcome));
    return { outcome, changes };
  }

  /** Adds the batches of a file that were not imported before. */
  function appendBatches(
    spooled: Spooled,
    key: UniqueKey | undefined,
    { batches, keptMs, isAgain }: Import,
    stamp: Stamp,
  ): BulkApplied {
    const known = batches.map((batch) => (isAgain ? undefined : earlierBatch(batch, keptMs, stamp)));
    // If all batches were imported before, the spool is not read, because all writers wait meanwhile.
    const missing = areIn(batches, known) ? { size: 0 } : { without: presentLines(batches, known) };
    const updates = key && new BatchUpdates(batches, known);
    const { outcome, changes } = storeSpooled({ ...spooled, ...missing }, key, stamp, updates);
    const imported = importedOf(batches, known, outcome.first, updates);
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
    return { outcome: { ...outcome, batches: imported }, changes };
  }

  function earlierBatch(batch: ImportBatch, keptMs: number, stamp: Stamp): Known {
    const found = idempotency.found(name, importKey(batch), keptMs, stamp.at);
    return found && knownOf(found.at, found.record);
  }

  /** In the order of the records. Throws BulkClashes. */
  function storeSpooled(spooled: Spooled, key: UniqueKey | undefined, stamp: Stamp, updates?: BatchUpdates) {
    const first = lastRecordId() + 1;
    const clashes: Placed[] = [];
    const places = new NewPlaces();
    const changes = new KeyedChanges();
    let place = 0;
    let updated = 0;
    for (const lines of linesOf(spooled)) {
      const outcomes =
        key === undefined ? append(lines, stamp) : lines.map((line) => upsert(readKeyed(line), key, stamp));
      for (const outcome of outcomes) {
        place++;
        if (typeof outcome === 'number') places.add(outcome, place);
        else if ('clashes' in outcome) {
          if (clashes.length < maxClashes) clashes.push([place, outcome.clashes]);
        } else {
          const isNew = 'created' in outcome;
          if (isNew) places.add(outcome.created, place);
          else updated++;
          updates?.add(!isNew);
          changes.add(outcome);
        }
      }
      if (clashes.length >= maxClashes) break;
    }
    if (clashes.length > 0) throw new BulkClashes(clashes, places, spooled.without);
    const last = lastRecordId();
    const created: Bulked = { created: last + 1 - first, first, last };
    return key === undefined ? { outcome: created } : { outcome: { ...created, updated }, changes: changes.all };
  }

  return { appendAll, appendBatches };
}
