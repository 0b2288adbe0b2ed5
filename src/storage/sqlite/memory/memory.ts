/** The records of all collections in memory that all threads see, and their one writer. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Allocator, newSegment } from './allocator.ts';
import type { MemoryChange } from './change.ts';
import { Collector } from './collector.ts';
import { HotMemory } from './hot-records.ts';
import type { SharedMemory } from './reader.ts';
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
  readonly #hot: HotMemory;
  readonly #collector = new Collector();
  /** Those with additions or changes that readers do not see yet. */
  readonly #touched = new Set<TableWriter>();

  /** For this many collections, by this run of the writer; hot records take at most `hotBytes`. */
  constructor(
    tables: number,
    readonly run = 1,
    hotBytes = 0,
  ) {
    this.#hot = new HotMemory(hotBytes);
    const first = newSegment();
    this.#segments = [first];
    this.view = new View(this.#segments);
    this.version = new Version(first);
    const onSegment = (segment: Segment, index: number) => this.#share(segment, index);
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

  /** That all records but the hot ones take, in bytes: also what it could give out again. */
  get bytes(): number {
    return this.#allocator.bytes;
  }

  /** What one more thread reads it with. */
  shared(): SharedMemory {
    const { port1, port2 } = new MessageChannel();
    this.#readers.push(port1);
    const { layoutChanges } = this.version;
    return {
      segments: [...this.#segments],
      hot: this.#hot.shared,
      layoutChanges,
      port: port2,
      run: this.run,
      name: this.#name,
    };
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

  /** Hot records may take this much from now on, in bytes; they get it when they need it, with repeated calls. */
  resizeHot(limit: number): void {
    const change = this.#hot.resize(limit);
    if (change === undefined) return;
    this.#tell(change);
    this.version.endChange();
  }

  #share(segment: Segment, index: number): void {
    this.#segments[index] = segment;
    this.view.set(index, segment);
    this.#tell({ segment, index });
  }

  /** Readers look for it when they see another version. */
  #tell(change: MemoryChange): void {
    this.version.beginChange();
    for (const reader of this.#readers) reader.postMessage(change);
    this.version.layoutChanges++;
    this.#collector.follow(change);
  }
}
