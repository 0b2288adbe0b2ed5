/** What an import has added and what was in already, for its last line. */
import type { Imported } from '../../domain/store.ts';
import { counted, grouped } from '../text/amounts.ts';

export class Summary {
  added = 0;
  /** Of batches that were in already: their records, those that were deleted since, and rows of the file that were not added then. */
  #present = 0;
  #deleted = 0;
  #refused = 0;
  /** When such batches were added. */
  #times: string[] = [];

  /** `sent` is the number of records that the batch has now. */
  add({ created, earlier }: Imported, sent: number): void {
    if (earlier === undefined) {
      this.added += created;
      return;
    }
    this.#present += created;
    this.#deleted += created - (earlier.existing ?? created);
    this.#refused += Math.max(sent - created, 0);
    // Milliseconds tell a person nothing. The first and the last time are enough.
    const times = [...this.#times, earlier.at.replace(/\.\d+/, '')].sort();
    this.#times = times.length > 2 ? [times[0] ?? '', times.at(-1) ?? ''] : times;
  }

  /** Rows of the file that an earlier import has refused, and this one has left out, too. */
  get refusedBefore(): number {
    return this.#refused;
  }

  /** `rejects` is the file of the rows that are refused. */
  text(rejects?: { readonly path: string; readonly count: number }): string {
    const refused = rejects?.count ?? 0;
    const parts = [
      `${counted(this.added, 'record')} added`,
      ...(this.#present > 0 ? [`${counted(this.#present, 'record')} in already (${this.#before(refused)})`] : []),
      ...(refused > 0 ? [`${counted(refused, 'row')} refused, see ${rejects?.path}`] : []),
    ];
    const advice = this.#deleted > 0 ? ' Use --again to import the whole file anew.' : '';
    return `${parts.join(', ')}.${advice}`;
  }

  /** `refused` rows are told anyway. */
  #before(refused: number): string {
    const [first, last = first] = this.#times;
    const parts = [first === last ? `imported at ${first}` : `imported from ${first} to ${last}`];
    if (this.#deleted > 0) parts.push(`${grouped(this.#deleted)} of them no longer exist`);
    if (this.#refused > refused) parts.push(`${counted(this.#refused, 'row')} refused then`);
    return parts.join('; ');
  }
}
