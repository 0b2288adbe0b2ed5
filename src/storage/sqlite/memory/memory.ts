/** The records of all collections in memory that all threads see, and their one writer. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Allocator, newSegment } from './allocator.ts';
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
    this.version.segments = 1;
    const onSegment = (segment: Segment) => this.#share(segment);
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

  /** What one more thread reads it with. */
  shared(): SharedMemory {
    const { port1, port2 } = new MessageChannel();
    this.#readers.push(port1);
    return { segments: [...this.#segments], port: port2, run: this.run, name: this.#name };
  }

  /** Readers see all changes since the last call at once. */
  publish(): void {
    if (this.#touched.size > 1) this.version.beginChange();
    for (const table of this.#touched) table.publish();
    this.#touched.clear();
    this.version.endChange();
    this.#allocator.reclaim();
  }

  /** Readers look for it when they see another version. */
  #share(segment: Segment): void {
    this.version.beginChange();
    this.#segments.push(segment);
    for (const reader of this.#readers) reader.postMessage(segment);
    this.version.segments = this.#segments.length;
  }
}
