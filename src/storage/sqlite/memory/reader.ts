/** The records of all collections, as one thread reads them. */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { MemoryChange } from './change.ts';
import { Collector } from './collector.ts';
import { HotRecords, type SharedHotRecords } from './hot-records.ts';
import type { Level } from './level.ts';
import { Root, state } from './root.ts';
import { Table } from './table.ts';
import { Unsettled, Version } from './version.ts';
import { type Segment, View } from './view.ts';

/** What a thread opens memory with. */
export type SharedMemory = {
  readonly segments: readonly Segment[];
  readonly hot: SharedHotRecords;
  /** Changes of segments and of shards arrive here, after this many. */
  readonly port: MessagePort;
  readonly layoutChanges: number;
  /** Of its writer. */
  readonly run: number;
  /** In no other memory, of this server or an earlier one. */
  readonly name: string;
};

export class MemoryReader {
  readonly version: Version;
  readonly view: View;
  readonly hot: HotRecords;
  readonly name: string;
  readonly #first: Segment;
  readonly #port: MessagePort;
  readonly #run: number;
  readonly #collector = new Collector();
  #seen = -1;
  #layoutChanges: number;

  constructor(
    { segments, hot, layoutChanges, port, run, name }: SharedMemory,
    readonly level: Level,
  ) {
    const [first] = segments;
    if (first === undefined) throw new Error('memory has no first segment');
    this.#first = first;
    this.#port = port;
    this.#layoutChanges = layoutChanges;
    this.#run = run;
    this.name = name;
    this.version = new Version(first);
    this.view = new View(segments);
    this.hot = new HotRecords(hot);
  }

  /** False if its writer has ended. */
  get isValid(): boolean {
    return this.level.run === this.#run;
  }

  table(place: number): TableReader {
    const root = new Root(this.#first, place);
    return new TableReader(this, root, new Table(this.view, root, () => this.version.verify()));
  }

  /** Applies pending changes of segments and shards. A thread without reads would otherwise hold memory that was given back. */
  refresh(): void {
    if (this.isValid) this.version.read((version) => this.follow(version));
  }

  /** In `Version.read`. A new segment is used by the versions after it, and one that was given back by those before. */
  follow(version: number): void {
    if (version === this.#seen) return;
    for (; this.#layoutChanges < this.version.layoutChanges; this.#layoutChanges++) {
      const received = receiveMessageOnPort(this.#port);
      if (received === undefined) throw new Error('a segment of memory is missing');
      const change = received.message as MemoryChange;
      if ('segment' in change) this.view.set(change.index, change.segment);
      else this.hot.change(change);
      this.#collector.follow(change);
    }
    this.#seen = version;
  }

  close(): void {
    this.#port.close();
  }
}

export class TableReader {
  constructor(
    readonly memory: MemoryReader,
    readonly root: Root,
    readonly table: Table,
  ) {}

  /** What `read` returns, all of it from one version; undefined if not all records are in memory. */
  read<Result>(read: (table: Table) => Result): Result | undefined {
    const { memory, root, table } = this;
    if (!memory.isValid) return undefined;
    try {
      return memory.version.read((version) => {
        memory.follow(version);
        root.load(version);
        return root.state === state.ready ? read(table) : undefined;
      });
    } catch (error) {
      if (error instanceof Unsettled) return undefined;
      throw error;
    }
  }
}
