/**
 * The file of refused rows: each with its line, the reason and the import it is of, and as it was sent. It can be corrected and
 * imported like any other file.
 *
 * Rows are written before their batch is sent, so that what is not in is certainly here. A second run of the same import goes on
 * with the file: it keeps the rows of the batches that are in, and writes the others anew.
 */
import { type FileHandle, open, rm } from 'node:fs/promises';
import { StartError } from '../../domain/errors.ts';
import type { Layout } from '../../import/layout.ts';
import { refusedHead, refusedText } from '../../import/refused-text.ts';
import type { RefusedRow } from '../../import/rows.ts';
import { rejectRows } from './reject-rows.ts';

type Place = { readonly bytes: number; readonly rows: number };
const start: Place = { bytes: 0, rows: 0 };

export class Rejects {
  /** Both are known with the first batch. */
  #layout: Layout = { format: 'csv', separator: ',', header: '' };
  #id = '';
  #end = start;
  /** The end of the rows whose batches are in. */
  #kept = start;
  /** What the file has may be anything. */
  #isForeign: boolean;
  /** The file has rows of an earlier run, and all batches so far were in then. */
  #isEarlier = false;
  /** In such a file: the first line after those batches, and the rows that are refused from there on. */
  #undecided: { readonly line: number; readonly refused: RefusedRow[] } | undefined;

  private constructor(
    readonly path: string,
    readonly file: FileHandle,
    readonly isNew: boolean,
  ) {
    this.#isForeign = !isNew;
  }

  /** Throws a StartError. */
  static async open(path: string): Promise<Rejects> {
    try {
      // Every write is at the end, also after the file was cut.
      const file = await open(path, 'a+', 0o600);
      const { size } = await file.stat();
      return new Rejects(path, file, size === 0);
    } catch (error) {
      throw unwritable(path, error);
    }
  }

  /** Rows in the file. */
  get count(): number {
    return this.#end.rows;
  }

  /** `id` tells imports apart. Throws a StartError if the file has something else. */
  async begin(layout: Layout, id: string): Promise<void> {
    this.#layout = layout;
    this.#id = id;
    if (this.isNew) return;
    for await (const row of rejectRows(this.file, this.path, layout.format)) {
      this.#isEarlier = row.id === id;
      break;
    }
    if (!this.#isEarlier)
      throw new StartError(
        `${this.path} exists already, and is not of this import: choose another name, or move it away.`,
      );
    this.#isForeign = false;
  }

  /** `line` is the first of the batch. */
  async beginBatch(line: number, refused: readonly RefusedRow[]): Promise<void> {
    if (!this.#isEarlier) return this.#write(refused);
    this.#undecided ??= { line, refused: [] };
    this.#undecided.refused.push(...refused);
  }

  /** Rows of the batch that turn out to be refused, so that it was not in. */
  async addToBatch(refused: readonly RefusedRow[]): Promise<void> {
    await this.#leaveEarlier();
    await this.#write(refused);
  }

  /** `nothing`: all rows of the batch are refused. */
  async endBatch(outcome: 'added' | 'present' | 'nothing'): Promise<void> {
    if (this.#isEarlier && outcome === 'nothing') return;
    if (this.#isEarlier && outcome === 'present') {
      this.#undecided = undefined;
      return;
    }
    await this.#leaveEarlier();
    this.#kept = this.#end;
  }

  /** After the last batch. */
  async finish(): Promise<void> {
    if (this.#undecided !== undefined) await this.#leaveEarlier();
    else if (this.#isEarlier) this.#end = await this.#endBefore(Number.POSITIVE_INFINITY);
    this.#kept = this.#end;
  }

  /** The last batch is not in. */
  async rollBack(): Promise<void> {
    if (!this.#isForeign && !this.#isEarlier) await this.#cutAt(this.#kept);
  }

  /** Leaves no empty file. */
  async close(): Promise<void> {
    await this.file.sync().catch(() => {});
    await this.file.close();
    if (this.isNew && this.#end.bytes === 0) await rm(this.path, { force: true });
  }

  /** From here on the rows of the earlier run are replaced. */
  async #leaveEarlier(): Promise<void> {
    if (!this.#isEarlier || this.#undecided === undefined) return;
    const { line, refused } = this.#undecided;
    this.#isEarlier = false;
    this.#undecided = undefined;
    this.#kept = await this.#endBefore(line);
    await this.#cutAt(this.#kept);
    await this.#write(refused);
  }

  async #endBefore(line: number): Promise<Place> {
    let place = start;
    for await (const row of rejectRows(this.file, this.path, this.#layout.format)) {
      if (row.line >= line) break;
      place = { bytes: row.end, rows: place.rows + 1 };
    }
    return place;
  }

  async #cutAt(place: Place): Promise<void> {
    await this.file.truncate(place.bytes);
    this.#end = place;
  }

  async #write(refused: readonly RefusedRow[]): Promise<void> {
    if (refused.length === 0) return;
    const text = refused.map((row) => refusedText(row, this.#layout, this.#id)).join('');
    const bytes = Buffer.from(this.#end.bytes === 0 ? refusedHead(this.#layout, this.#id) + text : text);
    try {
      await this.file.appendFile(bytes);
    } catch (error) {
      throw unwritable(this.path, error);
    }
    this.#end = { bytes: this.#end.bytes + bytes.length, rows: this.#end.rows + refused.length };
  }
}

function unwritable(path: string, error: unknown): StartError {
  const { message } = error as Error;
  return new StartError(`Cannot write ${path} (${message}): check the path, its permissions and the disk.`);
}
