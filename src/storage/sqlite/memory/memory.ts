/** The records of all collections in memory that all threads see, and their one writer. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Allocator, newSegment } from './allocator.ts';
import type { SegmentChange, SharedMemory } from './reader.ts';
import { Root, reservedBlocks } from './root.ts';
import { TableWriter } from './table-writer.ts';
import { Version } from './version.ts';
import { type Segment, View } from './view.ts';

export class Memory {
  readonly tables: readonly TableWriter[];
  readonly version: Version;
  readonly view: View;
  readonly #name = crypto.randomUUID().slice(0, 8);
  readonly #segments: Segment[];
  readonly #readers: MessagePort[] = [];
  readonly #allocator: Allocator;
  /** Those with additions or changes that readers do not see yet. */
  readonly #touched = new Set<TableWriter>();

  /** For this many collections, by this run of the writer. */
  constructor(
    tables: number,
    readonly run = 1,
  ) {
    const first = newSegment();
    this.#segments = [first];
    this.view = new View(this.#segments);
    this.version = new Version(first);
    const onSegment = (segment: Segment, index: number) => this.#share({ segment, index });
    this.#allocator = new Allocator(this.view, this.version, reservedBlocks(tables), onSegment);
    const { version } = this;
    const changing = {
      beginChange: () => version.beginChange(),
      get isPinned() {
        return version.isPinned;
      },
      touched: (table: TableWriter) => this.#touched.add(table),
    };
    this.tables = Array.from(
      { length: tables },
      (_, table) => new TableWriter(this.view, new Root(first, table), this.#allocator, changing),
    );
  }

  /** Threads that read it. */
  get readers(): number {
    return this.#readers.length;
  }

  /** That it takes, in bytes: also what it could give out again. */
  get bytes(): number {
    return this.#allocator.bytes;
  }

  /** What one more thread reads it with. */
  shared(): SharedMemory {
    const { port1, port2 } = new MessageChannel();
    this.#readers.push(port1);
    const { segmentChanges } = this.version;
    return { segments: [...this.#segments], segmentChanges, port: port2, run: this.run, name: this.#name };
  }

  /** Readers see all changes since the last call at once. */
  publish(): void {
    if (this.#touched.size > 1) this.version.beginChange();
    for (const table of this.#touched) table.publish();
    this.#touched.clear();
    this.version.endChange();
    this.#allocator.reclaim();
    // It may have given back segments.
    this.version.endChange();
  }

  /** Gives memory back to the system that the next `publish` leaves without use. */
  release(): void {
    this.#allocator.release();
  }

  /** Readers look for it when they see another version. */
  #share(change: SegmentChange): void {
    const { segment, index } = change;
    this.version.beginChange();
    this.#segments[index] = segment;
    this.view.set(index, segment);
    for (const reader of this.#readers) reader.postMessage(change);
    this.version.segmentChanges++;
  }
}
