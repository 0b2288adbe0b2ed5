/** The keys of the batches of an import, in the transaction that adds their records. */
import type { Bulked, Import } from '../../../domain/store/bulk.ts';
import {
  areIn,
  BatchUpdates,
  type ImportDone,
  importDigest,
  importedOf,
  importKey,
  type Known,
  knownOf,
  type Noted,
  presentLines,
} from '../../bulk/imports.ts';
import type { LineRange } from '../../bulk/spool.ts';
import { encodeBulked } from '../../bulk/spooled-bulk.ts';
import { batchStatements } from '../statements/changes.ts';
import type { Insertion } from './call-bulk.ts';

type Ask = Insertion['ask'];

export class ImportKeys {
  /** For an import with a key. */
  readonly updates: BatchUpdates;

  private constructor(
    readonly ask: Ask,
    readonly to: string,
    readonly imported: Import,
    readonly known: readonly Known[],
  ) {
    this.updates = new BatchUpdates(imported.batches, known);
  }

  /** Finds the batches that are in. */
  static async open(ask: Ask, to: string, imported: Import): Promise<ImportKeys> {
    const { batches, keptMs, isAgain } = imported;
    const keys = JSON.stringify(batches.map(importKey));
    const rows = isAgain ? [] : await ask(batchStatements.find, [to, keys, keptMs]);
    const found = new Map(rows.map(([key, at, noted]) => [String(key), knownOf(String(at), String(noted))]));
    const known = batches.map((batch) => found.get(importKey(batch)));
    return new ImportKeys(ask, to, imported, known);
  }

  /** The records of batches that are in. */
  get without(): LineRange[] {
    return presentLines(this.imported.batches, this.known);
  }

  /** No record is to be added. */
  get isEmpty(): boolean {
    return areIn(this.imported.batches, this.known);
  }

  /** `bulked` are the records that were added. */
  async note(bulked: Bulked): Promise<ImportDone> {
    const { batches } = this.imported;
    const updates = bulked.updated === undefined ? undefined : this.updates;
    const imported = importedOf(batches, this.known, bulked.first, updates);
    const noted = batches.flatMap((batch, place) => noteOf(importKey(batch), imported[place]));
    if (noted.length > 0) await this.ask(batchStatements.note, [this.to, importDigest, JSON.stringify(noted)]);
    return { ...bulked, batches: imported };
  }
}

function noteOf(key: string, batch: Noted | undefined) {
  if (batch === undefined || batch.earlier !== undefined) return [];
  return [{ key, first: batch.first, batch: encodeBulked(batch) }];
}
