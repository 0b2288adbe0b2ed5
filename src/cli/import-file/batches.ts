/**
 * Cuts a file into batches, each with a key. Where a batch ends and what its key is depend on the text up to there alone, and on the fields of its
 * columns: every import of the same file has the same batches, whichever way it goes and whoever starts it, and what is in is not added twice. A
 * correction changes the keys from its batch on. The console does the same.
 */
import type { Collection } from '../../domain/collection.ts';
import { CsvRecords } from '../../domain/csv/records.ts';
import type { Entry, EntryReader } from '../../domain/entry.ts';
import type { Failure } from '../../domain/errors.ts';
import { JsonLines } from '../../domain/json-lines.ts';
import { collector } from './collect-garbage.ts';
import type { Input } from './input.ts';

export type Row = { readonly line: number; readonly source: string };
/** `json` is encoded as it is stored. */
export type GoodRow = Row & { readonly json: string };
export type RefusedRow = Row & { readonly failure: Failure };

export type Batch = {
  readonly key: string;
  /** The line of its first row. */
  readonly line: number;
  readonly good: GoodRow[];
  readonly refused: RefusedRow[];
  /** Why the file cannot be read on; the batch ends before its end then. */
  readonly wrong: RefusedRow | undefined;
  /** The part of the file that is read, from 0 to 1; undefined if its size is not known. */
  readonly share: number | undefined;
};

export type Format = 'csv' | 'lines';

/** Members of a file of refused rows, which are ignored when it is imported. No field begins with an underscore. */
export const rejectNames = ['_line', '_reason', '_import'] as const;

/** Bytes that are read without a pause: about a millisecond. */
const bytesPerTurn = 4 * 1024;

/**
 * A batch is one transaction: other writes wait for it, but each one writes the same pages of an index again. `size` is in characters: a batch of large
 * rows has fewer of them.
 */
const batchEnd = { rows: 10_000, size: 4 * 1024 * 1024 };

export type BatchOptions = {
  readonly collection: Collection;
  readonly mapped: ReadonlyMap<string, string | undefined>;
  /** The most characters of a row. */
  readonly maxRow: number;
  /** Rows of a batch, if they are fewer: for tests. */
  readonly rows?: number | undefined;
};

export class Batches {
  #csv: CsvRecords | undefined;
  /** Of the batch. It begins with the key of the batch before, so a key covers all rows up to its end. */
  #hasher: Bun.CryptoHasher | undefined;
  #read = 0;
  #good: GoodRow[] = [];
  #refused: RefusedRow[] = [];
  #wrong: RefusedRow | undefined;
  /** Rows and characters of the batch. */
  #rows = 0;
  #size = 0;
  /** Rows of the batch that are not in the hash. */
  #sources: string[] = [];
  #line = 0;

  constructor(
    readonly input: Input,
    readonly options: BatchOptions,
  ) {}

  /** Known with the first batch. */
  get format(): Format {
    return this.#csv === undefined ? 'lines' : 'csv';
  }

  /** Between the cells of CSV. */
  get separator(): string {
    return this.#csv?.separator ?? ',';
  }

  /** The header of CSV. */
  get header(): string {
    return this.#csv?.header?.source ?? '';
  }

  async *all(): AsyncGenerator<Batch> {
    let reader: EntryReader | undefined;
    const collect = collector();
    for await (const piece of this.input.pieces()) {
      reader ??= this.#readerFor(piece);
      this.#read += piece.length;
      collect();
      for (let at = 0; at < piece.length && this.#wrong === undefined; at += bytesPerTurn) {
        yield* this.#full(reader.push(piece.subarray(at, at + bytesPerTurn)));
        // The database may have answered, and waits for what comes next.
        await new Promise(setImmediate);
      }
      if (this.#wrong !== undefined) break;
    }
    yield* this.#full((reader ?? this.#readerFor(new Uint8Array())).end());
    if (this.#rows > 0 || this.#wrong !== undefined) yield this.#end();
  }

  /** By the name of the file, or else by the first character. */
  #readerFor(piece: Uint8Array): EntryReader {
    const { collection, mapped, maxRow } = this.options;
    const { name } = this.input;
    const isLines = /\.(?:ndjson|jsonl)$/i.test(name) || (!/\.[ct]sv$/i.test(name) && beginsWithBrace(piece));
    if (isLines) {
      const left = rejectNames.map((member) => [member, undefined] as const);
      return new JsonLines(collection, { maxLine: maxRow, mapped: new Map([...left, ...mapped]) });
    }
    this.#csv = new CsvRecords(collection, { maxRow, mapped, ignored: rejectNames, separator: 'any' });
    return this.#csv;
  }

  *#full(entries: readonly Entry[]): Generator<Batch> {
    for (const entry of entries) {
      this.#add(entry);
      const { rows = batchEnd.rows } = this.options;
      if (this.#rows >= rows || this.#size >= batchEnd.size) yield this.#end();
    }
    // With each piece: a whole batch would take several milliseconds. The header is known with the first row.
    if (this.#sources.length > 0) this.#hash();
  }

  #add(entry: Entry): void {
    const { line, source } = entry;
    if (this.#rows === 0) this.#line = line;
    if ('failure' in entry && entry.isFinal) {
      this.#wrong = entry;
      return;
    }
    this.#sources.push(source);
    this.#rows++;
    this.#size += source.length;
    if ('failure' in entry) this.#refused.push({ line, source, failure: entry.failure });
    else this.#good.push(entry);
  }

  #hash(): Bun.CryptoHasher {
    this.#hasher ??= hasherAfter(sha256(JSON.stringify(this.#meaning())));
    if (this.#sources.length > 0) this.#hasher.update(`\n${this.#sources.join('\n')}`);
    this.#sources = [];
    return this.#hasher;
  }

  /** What makes other records of the same rows: the fields of columns, or the members that have other names. */
  #meaning(): readonly unknown[] {
    if (this.#csv !== undefined) return ['csv', this.separator, this.#csv.fieldsOfColumns];
    const renamed = [...this.options.mapped].filter(([name, field]) => name !== field);
    return ['lines', renamed.map(([name, field = null]) => [name, field]).sort(byName)];
  }

  #end(): Batch {
    const { size } = this.input;
    const key = this.#hash().digest('hex');
    this.#hasher = hasherAfter(key);
    const batch = {
      key,
      line: this.#line,
      good: this.#good,
      refused: this.#refused,
      wrong: this.#wrong,
      share: size === undefined || size === 0 ? undefined : Math.min(this.#read / size, 1),
    };
    this.#rows = 0;
    this.#size = 0;
    this.#good = [];
    this.#refused = [];
    return batch;
  }
}

function sha256(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex');
}

function hasherAfter(key: string): Bun.CryptoHasher {
  return new Bun.CryptoHasher('sha256').update(key);
}

/** Names are unique. */
function byName([one]: readonly unknown[], [other]: readonly unknown[]): number {
  return String(one) < String(other) ? -1 : 1;
}

function beginsWithBrace(piece: Uint8Array): boolean {
  return new TextDecoder().decode(piece.subarray(0, 1024)).trimStart().startsWith('{');
}
