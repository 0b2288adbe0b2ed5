/**
 * Cuts a file into batches, each with a key. Where a batch ends and what its key is depend on the text up to there alone, and on the fields of its
 * columns: every import of the same file has the same batches, whichever way it goes and whoever starts it, and what is in is not added twice. A
 * correction changes the keys from its batch on.
 */
import type { Layout, Meaning } from './layout.ts';
import type { GoodRow, RefusedRow } from './rows.ts';

export type Batch = {
  readonly key: string;
  /** The line of its first row. */
  readonly line: number;
  readonly good: GoodRow[];
  /** The last one is final if the file cannot be read on; the batch ends before its end then. */
  readonly refused: RefusedRow[];
  /** The part of the file that is read, from 0 to 1; undefined if its size is not known. */
  readonly share: number | undefined;
  readonly layout: Layout;
};

export type FileSource = {
  readonly name: string;
  /** In bytes; undefined if it is not known before the end. */
  readonly size: number | undefined;
  /** A piece is valid until the next one is asked for. A file is read from its start each time. */
  pieces(): AsyncIterable<Uint8Array>;
};

export type RowReader = {
  /** The rows that are complete with these bytes, in order. */
  push(bytes: Uint8Array): readonly (GoodRow | RefusedRow)[];
  /** The last rows. */
  end(): readonly (GoodRow | RefusedRow)[];
  /** Both are known with the first row. */
  layout(): Layout;
  meaning(): Meaning;
};

/** SHA-256. */
export type Hash = { update(text: string): unknown; digest(encoding: 'hex'): string | Promise<string> };

export type Cutting = {
  readonly source: FileSource;
  /** Called with the first piece, which is empty if there is none. */
  readerFor(piece: Uint8Array): RowReader;
  newHash(): Hash;
  /** Rows of a batch, if they are fewer: for tests. */
  readonly rows?: number | undefined;
};

/**
 * A batch is one transaction: other writes wait for it, but each one writes the same pages of an index again. `size` is in characters: a batch of large
 * rows has fewer of them.
 */
const batchEnd = { rows: 10_000, size: 4 * 1024 * 1024 };

export async function* batchesOf({ source, readerFor, newHash, rows }: Cutting): AsyncGenerator<Batch> {
  let cutter: Cutter | undefined;
  let read = 0;
  const share = () => (source.size ? Math.min(read / source.size, 1) : undefined);
  for await (const piece of source.pieces()) {
    cutter ??= new Cutter(readerFor(piece), newHash, rows);
    read += piece.length;
    yield* cutter.cut(cutter.reader.push(piece), share());
    if (cutter.isOver) break;
  }
  cutter ??= new Cutter(readerFor(new Uint8Array()), newHash, rows);
  yield* cutter.cut(cutter.reader.end(), share());
  if (cutter.rows > 0) yield await cutter.end(share());
}

class Cutter {
  isOver = false;
  /** Of the batch. It begins with the key of the batch before, so a key covers all rows up to its end. */
  #hash: Hash | undefined;
  #good: GoodRow[] = [];
  #refused: RefusedRow[] = [];
  #size = 0;
  #line = 0;
  /** Rows of the batch that are not in the hash. */
  #sources: string[] = [];

  constructor(
    readonly reader: RowReader,
    readonly newHash: () => Hash,
    readonly mostRows: number = batchEnd.rows,
  ) {}

  get rows(): number {
    return this.#good.length + this.#refused.length;
  }

  async *cut(rows: readonly (GoodRow | RefusedRow)[], share: number | undefined): AsyncGenerator<Batch> {
    for (const row of rows) {
      this.#add(row);
      if (this.rows >= this.mostRows || this.#size >= batchEnd.size) yield await this.end(share);
    }
    // With each piece: a whole batch would take several milliseconds. The header is known with the first row.
    if (this.#sources.length > 0) await this.#hashed();
  }

  #add(row: GoodRow | RefusedRow): void {
    if (this.rows === 0) this.#line = row.line;
    if ('json' in row) this.#good.push(row);
    else {
      this.#refused.push(row);
      this.isOver = row.isFinal === true;
      // It is not part of the key: it may have no source.
      if (this.isOver) return;
    }
    this.#sources.push(row.source);
    this.#size += row.source.length;
  }

  async #hashed(): Promise<Hash> {
    this.#hash ??= this.#hashAfter(await this.#hashAfter(JSON.stringify(this.reader.meaning())).digest('hex'));
    if (this.#sources.length > 0) this.#hash.update(`\n${this.#sources.join('\n')}`);
    this.#sources = [];
    return this.#hash;
  }

  #hashAfter(text: string): Hash {
    const hash = this.newHash();
    hash.update(text);
    return hash;
  }

  async end(share: number | undefined): Promise<Batch> {
    const key = await (await this.#hashed()).digest('hex');
    const rows = { line: this.#line, good: this.#good, refused: this.#refused };
    const batch = { key, ...rows, share, layout: this.reader.layout() };
    this.#hash = this.#hashAfter(key);
    this.#size = 0;
    this.#good = [];
    this.#refused = [];
    return batch;
  }
}
