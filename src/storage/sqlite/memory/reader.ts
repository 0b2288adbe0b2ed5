/** A thread's reader of the records of all collections. */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { ReaderSlot } from './atomics.ts';
import { root as rootAt } from './layout.ts';
import { Collector } from './pages/collect-garbage.ts';
import { Pages, type Segment } from './pages/pages.ts';
import { Snapshot } from './snapshot.ts';

/** A new segment, or an empty one that replaces a released segment. */
export type SegmentChange = { readonly segment: Segment; readonly index: number };

/** The writer sends it to a thread, which opens a `MemoryReader` with it. */
export type SharedMemory = {
  readonly segments: readonly Segment[];
  /** Receives the later changes of segments. */
  readonly port: MessagePort;
  /** The number of changes that `segments` includes. */
  readonly segmentChanges: number;
  readonly roots: SharedArrayBuffer;
  readonly slot: number;
  /** Random: differs from that of every other memory, in this process or an earlier one. */
  readonly name: string;
};

export class MemoryReader {
  readonly pages: Pages;
  readonly name: string;
  readonly #slot: ReaderSlot;
  readonly #port: MessagePort;
  readonly #collector = new Collector();
  #segmentChanges: number;

  constructor({ segments, segmentChanges, roots, slot, port, name }: SharedMemory) {
    this.pages = new Pages(segments);
    this.#slot = new ReaderSlot(roots, slot);
    this.#port = port;
    this.#segmentChanges = segmentChanges;
    this.name = name;
  }

  table(place: number): TableReader {
    return new TableReader(this, place);
  }

  /** Calls `read` with the current root. Undefined if the writer has ended, or this reader is closed. */
  read<Result>(read: (root: number) => Result): Result | undefined {
    try {
      const root = this.enter();
      return root === 0 ? undefined : read(root);
    } finally {
      this.leave();
    }
  }

  /** Like `read`, without a closure: the caller must call `leave`. Returns 0 where `read` returns undefined. */
  enter(): number {
    const root = this.#slot.enter();
    if (root !== 0) this.#follow();
    return root;
  }

  leave(): void {
    this.#slot.leave();
  }

  /** During `read`: holds its root until the returned function is called. */
  pin(): () => void {
    return this.#slot.pin();
  }

  /** Applies pending changes of segments: a thread without reads would otherwise hold memory that was given back. */
  refresh(): void {
    this.read(() => {});
  }

  /** Frees the slot, so this reader reads nothing more. */
  close(): void {
    this.#slot.close();
    this.#port.close();
  }

  /** The writer sends a segment before it publishes a root with a page of it, and releases one only when no reader holds such a root. */
  #follow(): void {
    while (this.#segmentChanges !== this.#slot.segmentChanges) {
      const received = receiveMessageOnPort(this.#port);
      if (received === undefined) throw new Error('a segment of memory is missing');
      const { index, segment } = received.message as SegmentChange;
      this.pages.set(index, segment);
      this.#segmentChanges = (this.#segmentChanges + 1) >>> 0;
      if (segment.byteLength === 0) this.#collector.collectSoon();
    }
  }
}

/** A thread's reader of one collection. */
export class TableReader {
  readonly #snapshot: Snapshot;
  /** The epoch of the root that the snapshot was loaded from. */
  #epoch = 0;

  constructor(
    readonly memory: MemoryReader,
    readonly place: number,
  ) {
    this.#snapshot = new Snapshot(memory.pages);
  }

  /**
   * Calls `read` with the snapshot at the current root. Undefined if not all records are in memory, or if `lastChange` is given and is
   * not the last change of the root.
   */
  read<Result>(read: (snapshot: Snapshot) => Result, lastChange?: number): Result | undefined {
    const { memory } = this;
    try {
      const root = memory.enter();
      if (root === 0 || !this.#load(root).isReady) return undefined;
      if (lastChange !== undefined && memory.pages.double(root, rootAt.lastChange) !== lastChange) return undefined;
      return read(this.#snapshot);
    } finally {
      memory.leave();
    }
  }

  #load(root: number): Snapshot {
    const epoch = this.memory.pages.double(root, rootAt.epoch);
    if (epoch !== this.#epoch) this.#snapshot.load(root, this.place);
    this.#epoch = epoch;
    return this.#snapshot;
  }

  /** A snapshot at the current root, which is held until `release` is called; undefined as for `read`. */
  pinned(): { readonly snapshot: Snapshot; release(): void } | undefined {
    return this.memory.read((root) => {
      const snapshot = new Snapshot(this.memory.pages);
      snapshot.load(root, this.place);
      return snapshot.isReady ? { snapshot, release: this.memory.pin() } : undefined;
    });
  }
}
