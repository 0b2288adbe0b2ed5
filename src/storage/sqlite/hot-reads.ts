/**
 * Single records of collections that are not in memory, read from the file. This thread keeps those that it reads often.
 *
 * A kept record is never older than what any answer has shown before. The order is: commit, bump the stamp, publish
 * the root, then respond. So when a request begins after an answer
 * that shows the change, the record has its new stamp. What was kept with that stamp was read from the file after the commit. What was
 * kept with an earlier one is not used.
 *
 * Nor is it newer: only what `FileReads` returns at once is kept, which is what memory shows, too.
 */
import type { Bytes } from '../../domain/bytes.ts';
import type { Soon } from '../../domain/soon.ts';
import type { EncodedRecord } from '../../domain/store/page.ts';
import { RecordWriter } from './cache/record-writer.ts';
import { type CommitProgress, idKey, type Key, recordKey } from './memory/atomics.ts';
import { HotRecords } from './memory/hot-records.ts';
import type { FileReads } from './reads/file-reads.ts';
import type { Read } from './reads/reader.ts';
import type { Table } from './tables.ts';

export class HotReads {
  readonly #kept: HotRecords;
  readonly counts = { hits: 0, misses: 0 };
  readonly #writers = { withId: new RecordWriter(true), withoutId: new RecordWriter(false) };

  constructor(
    readonly file: FileReads,
    readonly progress: CommitProgress,
  ) {
    this.#kept = new HotRecords(() => progress.hotBytes);
  }

  get bytes(): number {
    return this.#kept.bytes;
  }

  /** The earliest record with this id of the contract. */
  find({ place, reader }: Table, contractId: bigint): Soon<Bytes | undefined> {
    const key = idKey(place, contractId);
    const stamp = this.progress.stamps.of(key);
    const kept = this.#get(key, stamp)?.bytes;
    if (kept !== undefined) return kept;
    const keep = (bytes: Bytes | undefined) => this.#keep(key, stamp, bytes && { bytes, version: 0 });
    return this.file.read(() => reader().find(contractId), keep);
  }

  /** As the production API returns it. */
  record({ place, reader }: Table, recordId: number): Soon<EncodedRecord | undefined> {
    const key = recordKey(place, recordId);
    const stamp = this.progress.stamps.of(key);
    const kept = this.#get(key, stamp);
    if (kept !== undefined) return kept;
    const keep = (record: EncodedRecord | undefined) => this.#keep(key, stamp, record);
    return this.file.read(() => this.#encode(reader().read(recordId)), keep);
  }

  #get(key: Key, stamp: number): EncodedRecord | undefined {
    const kept = this.#kept.get(key, stamp);
    if (kept === undefined) this.counts.misses++;
    else this.counts.hits++;
    return kept;
  }

  #keep(key: Key, stamp: number, record: EncodedRecord | undefined): void {
    if (record !== undefined) this.#kept.keep(key, stamp, record);
  }

  #encode(read: Read | undefined): EncodedRecord | undefined {
    if (read === undefined) return undefined;
    const { recordId, version, created, updated } = read;
    const source = Buffer.from(read.json);
    const writer = read.contractId === undefined ? this.#writers.withoutId : this.#writers.withId;
    writer.begin();
    writer.add({ recordId, version, created, updated, source, start: 0, length: source.length });
    return { bytes: writer.end(), version };
  }
}
