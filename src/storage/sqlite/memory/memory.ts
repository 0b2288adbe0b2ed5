/** The records of all collections in memory that all threads see, and their one writer. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Allocator } from './allocator.ts';
import { mostReaders, Roots } from './atomics.ts';
import { Collector } from './collector.ts';
import { headerWords, root as rootAt, rootWords } from './layout.ts';
import { Pages, pageBytes, pageWords, type Segment } from './pages.ts';
import type { SegmentChange, SharedMemory } from './reader.ts';
import { TablePages } from './table-pages.ts';
import { TableWriter } from './table-writer.ts';

/** In milliseconds. */
const releaseEvery = 100;

export class Memory {
  readonly tables: readonly TableWriter[];
  /** The last change that the next root shows. */
  lastChange = 0;
  readonly #pages = new Pages([]);
  readonly #name = crypto.randomUUID().slice(0, 8);
  readonly #segments: Segment[] = [];
  #segmentChanges = 0;
  readonly #collector = new Collector();
  readonly #allocator: Allocator;
  /** By the slots of the readers. */
  readonly #ports = new Map<number, MessagePort>();
  /** Those with additions or changes that the current root does not show. */
  readonly #touched = new Set<TableWriter>();
  readonly #rootPages: number;
  #root = 0;
  /** Epochs of the roots that readers may hold, by their pages; in their order. */
  readonly #epochs = new Map<number, number>();

  #epoch: number;
  #releasing: Timer | undefined;

  /** For this many collections. The first root is of the epoch after `epoch`. */
  constructor(
    tables: number,
    readonly roots = new Roots(),
    epoch = 0,
  ) {
    this.#epoch = epoch;
    this.#rootPages = Math.ceil((rootWords + tables * headerWords) / pageWords);
    this.#allocator = new Allocator(this.#pages, (segment, index) => this.#share(segment, index));
    this.tables = Array.from({ length: tables }, () => {
      const own = new TablePages(this.#pages, this.#allocator, () => this.#epoch + 1);
      return new TableWriter(own, (table) => this.#touched.add(table));
    });
    for (const table of this.tables) this.#touched.add(table);
    this.publish();
  }

  /** Bytes used, also by pages that are free again. */
  get bytes(): number {
    return this.#allocator.bytes;
  }

  get readers(): number {
    return this.#ports.size;
  }

  /** What one more thread reads it with. */
  shared(): SharedMemory {
    let slot = 0;
    while (this.#ports.has(slot)) slot++;
    if (slot === mostReaders) throw new RangeError(`memory has room for ${mostReaders} readers`);
    const { port1, port2 } = new MessageChannel();
    this.#ports.set(slot, port1);
    // Also when its thread ends, in whatever way: what it held can be used again.
    port1.once('close', () => {
      this.#ports.delete(slot);
      this.roots.free(slot);
    });
    port1.unref();
    return {
      segments: [...this.#segments],
      segmentChanges: this.#segmentChanges,
      roots: this.roots.shared,
      slot,
      port: port2,
      name: this.#name,
    };
  }

  /** Ends a commit: readers see all changes since the last call at once. */
  publish(): void {
    const before = this.#root;
    const root = this.#allocator.allocate(this.#rootPages);
    if (before !== 0) this.#pages.copy(before, 0, root, 0, this.#rootPages * pageBytes);
    this.tables.forEach((table, place) => {
      if (this.#touched.delete(table)) table.store(root, place);
    });
    this.#pages.setDouble(root, rootAt.epoch, ++this.#epoch);
    this.#pages.setDouble(root, rootAt.lastChange, this.lastChange);
    this.#allocator.published();
    this.#root = root;
    this.#epochs.set(root, this.#epoch);
    this.roots.publish(root);
    if (before !== 0) this.#allocator.retire(before, this.#rootPages, this.#epoch);
    this.#reclaim();
  }

  /** Gives memory back to the system that the next root leaves without use. */
  release(): void {
    this.#allocator.release();
  }

  #reclaim(): void {
    let oldest = this.#epoch;
    for (const slot of this.#ports.keys()) {
      // A page that is no root any more is of a reader that is about to look again.
      oldest = Math.min(oldest, this.#epochs.get(this.roots.heldBy(slot)) ?? oldest);
    }
    for (const [root, epoch] of this.#epochs) {
      if (epoch >= oldest) break;
      this.#epochs.delete(root);
    }
    this.#allocator.reclaim(oldest);
    // Readers hold the rest for now, and there may be no other commit.
    if (this.#allocator.isReleasing) this.#releasing ??= setTimeout(() => this.#releaseMore(), releaseEvery).unref();
  }

  #releaseMore(): void {
    this.#releasing = undefined;
    this.#reclaim();
  }

  #share(segment: Segment, index: number): void {
    this.#segments[index] = segment;
    this.#pages.set(index, segment);
    this.#segmentChanges++;
    for (const port of this.#ports.values()) port.postMessage({ segment, index } satisfies SegmentChange);
    this.roots.segmentsChanged();
    if (segment.byteLength === 0) this.#collector.collectSoon();
  }
}
