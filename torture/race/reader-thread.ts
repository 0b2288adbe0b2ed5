/** A reader of the race: reads the table in every way, and reports what is wrong. */
import { root as rootAt } from '../../src/storage/sqlite/memory/layout.ts';
import { listPieces } from '../../src/storage/sqlite/memory/list-pieces.ts';
import { MemoryReader, type SharedMemory, type TableReader } from '../../src/storage/sqlite/memory/reader.ts';
import type { Snapshot } from '../../src/storage/sqlite/memory/snapshot.ts';
import { type Control, hashOf, mostIds, permanent, type RaceRecord, textOf } from './model.ts';

declare const self: Worker;

export type StartReader = { readonly memory: SharedMemory };
/** `reads` since the last report. `ended` if the writer has ended, which is the last report. */
export type FromReader = {
  readonly reads: number;
  readonly lists: number;
  readonly mistakes: readonly string[];
  readonly ended: boolean;
};

const perReport = 2000;
/** In reads: to check all records takes as long as hundreds of reads of one. */
const pageEvery = 1000;
const listEvery = 300;
/** Lists that are read at the same time, each a piece at a time. */
const mostLists = 4;

type SlowList = { readonly control: Control; readonly pieces: Iterator<Uint8Array, void>; readonly read: Uint8Array[] };

class Reader {
  reads = 0;
  lists = 0;
  mistakes: string[] = [];
  readonly #memory: MemoryReader;
  readonly #table: TableReader;
  readonly #control: TableReader;
  readonly #slow: SlowList[] = [];
  #lastCommit = 0;

  constructor(shared: SharedMemory) {
    this.#memory = new MemoryReader(shared);
    this.#table = this.#memory.table(0);
    this.#control = this.#memory.table(1);
  }

  /** Returns false if the writer has ended. */
  read(): boolean {
    this.reads++;
    if (this.reads % pageEvery === 0) this.#page();
    else if (this.reads % listEvery === 0) this.#list();
    return this.#one() !== undefined;
  }

  /** Undefined if the writer has ended. */
  #one(): true | undefined {
    const id = 1 + Math.floor(Math.random() * (Math.random() < 0.5 ? permanent : mostIds));
    return this.#memory.read((root) => {
      const commit = this.#memory.pages.double(root, rootAt.lastChange);
      this.#expect(commit >= this.#lastCommit, `commit ${commit} after ${this.#lastCommit}`);
      this.#lastCommit = commit;
      const found = this.#table.read((seen) => seen.find(BigInt(id)) ?? 'missing');
      if (found === undefined) this.#expect(this.#controlNow()?.isReady === false, 'a table is missing');
      else if (found === 'missing') this.#expect(id > permanent, `record ${id} is missing`);
      else this.#check(JSON.parse(Buffer.from(found).toString()), commit, id);
      return true as const;
    });
  }

  #page(): void {
    this.#memory.read(() => {
      const control = this.#controlNow();
      if (control === undefined) return;
      const listed = this.#table.read((seen) =>
        [...seen.from(0, false)].map(({ recordId, version, source, start, length }) => {
          const record: RaceRecord = JSON.parse(source.toString('utf8', start, start + length));
          this.#expect(version === record.version, `record ${record.id} has version ${version}`);
          const found = seen.get(recordId);
          this.#expect(found?.start === start && found.source === source, `record ${record.id} is elsewhere by its id`);
          return record;
        }),
      );
      const size = this.#table.read((seen) => seen.listSize);
      const count = this.#table.read((seen: Snapshot) => seen.count);
      if (listed === undefined) return;
      this.#checkAll(listed, control, 'page');
      this.#checkIds(new Map(listed.map((record) => [record.id, record])));
      this.#expect(size === control.size, `size ${size} instead of ${control.size}`);
      this.#expect(count === control.count, `count ${count} instead of ${control.count}`);
    });
  }

  /** An id leads to the record of the list that has it, as long as the root is held. */
  #checkIds(listed: ReadonlyMap<number, RaceRecord>): void {
    for (let tries = 0; tries < 300; tries++) {
      const id = 1 + Math.floor(Math.random() * mostIds);
      const found = this.#table.read((seen) => seen.find(BigInt(id)));
      const { version }: Partial<RaceRecord> = found === undefined ? {} : JSON.parse(Buffer.from(found).toString());
      this.#expect(version === listed.get(id)?.version, `id ${id} leads elsewhere than in the list`);
    }
  }

  /** Begins a list, and reads a piece of each that has begun before: as slow clients do. */
  #list(): void {
    this.#memory.read(() => {
      const control = this.#controlNow();
      const tag = this.#table.read((seen) => seen.tag);
      const pieces = tag === undefined || this.#slow.length === mostLists ? undefined : listPieces(this.#table, tag);
      if (control !== undefined && pieces !== undefined) this.#slow.push({ control, pieces, read: [] });
    });
    for (const list of [...this.#slow]) {
      const { done, value } = list.pieces.next();
      if (!done) list.read.push(value);
      // One in ten is not read to its end.
      if (!done && Math.random() > 0.1) continue;
      list.pieces.return?.();
      this.#slow.splice(this.#slow.indexOf(list), 1);
      if (done) this.#checkList(list);
    }
  }

  #checkList({ control, read }: SlowList): void {
    this.lists++;
    const bytes = Buffer.concat(read);
    this.#expect(bytes.length === control.size, `a list has ${bytes.length} bytes instead of ${control.size}`);
    try {
      this.#checkAll(JSON.parse(bytes.toString()), control, 'list');
    } catch (error) {
      this.#expect(false, `a list is not JSON: ${error}`);
    }
  }

  #checkAll(records: readonly RaceRecord[], { commit, count, sum }: Control, how: string): void {
    this.#expect(records.length === count, `${how}: ${records.length} records instead of ${count}`);
    for (const record of records) this.#check(record, commit, record.id);
    const found = records.reduce((total, { id, version }) => (total + hashOf(id, version)) >>> 0, 0);
    this.#expect(found === sum, `${how}: not the records of commit ${commit}`);
  }

  #check(record: RaceRecord, commit: number, id: number): void {
    this.#expect(record.id === id, `record ${record.id} instead of ${id}`);
    this.#expect(record.text === textOf(record.id, record.version), `record ${id} is torn`);
    this.#expect(record.version <= commit, `record ${id} is of commit ${record.version}, after ${commit}`);
  }

  #controlNow(): Control | undefined {
    const bytes = this.#control.read((seen) => seen.find(1n));
    return bytes === undefined ? undefined : JSON.parse(Buffer.from(bytes).toString());
  }

  #expect(holds: boolean, what: string): void {
    if (!holds && this.mistakes.length < 10) this.mistakes.push(what);
  }
}

self.onmessage = async ({ data }: MessageEvent<StartReader>) => {
  const reader = new Reader(data.memory);
  let isAlive = true;
  while (isAlive) {
    const before = { reads: reader.reads, lists: reader.lists };
    try {
      while (isAlive && reader.reads - before.reads < perReport) isAlive = reader.read();
    } catch (error) {
      reader.mistakes.push(`a read has thrown: ${error}`);
    }
    const report: FromReader = {
      reads: reader.reads - before.reads,
      lists: reader.lists - before.lists,
      mistakes: reader.mistakes,
      ended: !isAlive,
    };
    self.postMessage(report);
    reader.mistakes = [];
    await new Promise(setImmediate);
  }
};
