/** The writer's side of the shared memory: it owns the tables of all collections and publishes roots. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { mostReaders, Roots } from './atomics.ts';
import { headerWords, root as rootAt, rootWords } from './layout.ts';
import { MemoryTable } from './memory-table.ts';
import { Allocator } from './pages/allocator.ts';
import { Collector } from './pages/collect-garbage.ts';
import { Pages, pageBytes, pageWords, type Segment } from './pages/pages.ts';
import type { SegmentChange, SharedMemory } from './reader.ts';
import { TablePages } from './table-pages.ts';

/** In milliseconds: how often a release that waits for readers is retried. */
const releaseEvery = 100;

export class Memory {
  readonly tables: readonly MemoryTable[];
  /** The number of the last change, for the next root. */
  lastChange = 0;
  readonly #pages = new Pages([]);
  readonly #name = crypto.randomUUID().slice(0, 8);
  readonly #segments: Segment[] = [];
  #segmentChanges = 0;
  readonly #collector = new Collector();
  readonly #allocator: Allocator;
  /** By the slots of the readers. */
  readonly #ports = new Map<number, MessagePort>();
  /** Tables that have changed since the current root. */
  readonly #touched = new Set<MemoryTable>();
  readonly #rootPages: number;
  #root = 0;
  /** The epochs of the roots that readers may hold, by root page, in ascending order. */
  readonly #epochs = new Map<number, number>();

  #epoch: number;
  #releasing: Timer | undefined;

  /** `tables` is the number of collections. The first root has the epoch after `epoch`. */
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
      return new MemoryTable(own, (table) => this.#touched.add(table));
    });
    for (const table of this.tables) this.#touched.add(table);
    this.publish();
  }

  /** Resident bytes, including free pages. */
  get bytes(): number {
    return this.#allocator.bytes;
  }

  get readers(): number {
    return this.#ports.size;
  }

  /** For one more reader thread: takes a free slot. */
  shared(): SharedMemory {
    let slot = 0;
    while (this.#ports.has(slot)) slot++;
    if (slot === mostReaders) throw new RangeError(`memory has room for ${mostReaders} readers`);
    const { port1, port2 } = new MessageChannel();
    this.#ports.set(slot, port1);
    // The port also closes when the thread ends, however it ends; then its pages can be reused.
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

  /** Releases the segments that become unused with the next root to the system. */
  release(): void {
    this.#allocator.release();
  }

  #reclaim(): void {
    let oldest = this.#epoch;
    for (const slot of this.#ports.keys()) {
      // A slot may have a page that is no longer a root: its reader is about to load the root again.
      oldest = Math.min(oldest, this.#epochs.get(this.roots.heldBy(slot)) ?? oldest);
    }
    for (const [root, epoch] of this.#epochs) {
      if (epoch >= oldest) break;
      this.#epochs.delete(root);
    }
    this.#allocator.reclaim(oldest);
    // Readers still hold the rest, and there may be no further commit.
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
