/** The writer of the race: commits without a pause, in phases that change the table in every way. */
import { Roots } from '../../src/storage/sqlite/memory/atomics.ts';
import { state } from '../../src/storage/sqlite/memory/header.ts';
import { Memory } from '../../src/storage/sqlite/memory/memory.ts';
import type { MemoryTable } from '../../src/storage/sqlite/memory/memory-table.ts';
import type { SharedMemory } from '../../src/storage/sqlite/memory/reader.ts';
import { type Control, hashOf, jsonOf, mostIds, permanent } from './model.ts';

declare const self: Worker;

export type StartWriter = { readonly roots: SharedArrayBuffer };
/** The memory for one more reader, or what went wrong. */
export type FromWriter = { readonly memory: SharedMemory } | { readonly commits: number; readonly mistake?: string };

/** Live records take a few MiB. Far more means that what readers no longer hold is not used again. */
const mostBytes = 128 * 1024 * 1024;
/** Commits before messages are received. */
const perTurn = 50;
/**
 * Above this, memory grows slowly. It grows for as long as a reader holds a root: one that gets no processor for seconds must not be taken
 * for one that never releases its root.
 */
const usualBytes = 32 * 1024 * 1024;
const pauseMsPerMiB = 60;

type Row = { readonly recordId: number; id: number; version: number };

class Writer {
  commits = 0;
  readonly memory: Memory;
  readonly #table: MemoryTable;
  readonly #control: MemoryTable;
  #rows: Row[] = [];
  readonly #ids = new Set<number>();
  #recordId = 0;
  #sum = 0;

  constructor(roots: SharedArrayBuffer) {
    this.memory = new Memory(2, new Roots(roots));
    const [table, control] = this.memory.tables;
    if (table === undefined || control === undefined) throw new Error('no tables');
    this.#table = table;
    this.#control = control;
    control.append({ recordId: 1, version: 1, created: 0, updated: 0 }, 1n, '{}');
    control.state = state.ready;
    table.state = state.ready;
    for (let id = 1; id <= permanent; id++) this.#add(id);
    this.#publish();
  }

  /** One phase after the other, without an end; each step is a commit. */
  *phases(): Generator<void, never> {
    for (;;) {
      for (const end = this.commits + 300; this.commits < end; yield this.#commit(() => this.#add(this.#freeId())));
      for (const end = this.commits + 1000; this.commits < end; yield this.#commit(() => this.#changeOne()));
      while (this.#rows.length > 2 * permanent) yield this.#commit(() => this.#removeOne());
      yield this.#reload();
      yield* this.#leave();
    }
  }

  #commit(step: () => void): void {
    this.commits++;
    for (let steps = Math.floor(Math.random() * 8); steps >= 0; steps--) step();
    this.#publish();
  }

  #publish(): void {
    const control: Control = {
      commit: this.commits,
      isReady: this.#table.state === state.ready,
      count: this.#rows.length,
      size: this.#table.listSize,
      sum: this.#sum,
    };
    this.#control.replace(1, this.commits, this.commits, JSON.stringify(control));
    this.memory.lastChange = this.commits;
    this.memory.publish();
  }

  #changeOne(): void {
    const row = this.#anyRow();
    const dice = Math.random();
    if (dice < 0.2) this.#add(this.#freeId());
    else if (dice < 0.35) this.#removeOne();
    else if (dice < 0.5) this.#rename(row);
    else this.#replace(row);
  }

  #add(id: number): void {
    const row = { recordId: ++this.#recordId, id, version: this.commits };
    this.#append(row);
    this.#rows.push(row);
    this.#ids.add(id);
    this.#sum = (this.#sum + hashOf(id, row.version)) >>> 0;
  }

  #append({ recordId, id, version }: Row): void {
    this.#table.append({ recordId, version, created: recordId, updated: version }, BigInt(id), jsonOf(id, version));
  }

  #replace(row: Row): void {
    this.#sum = (this.#sum - hashOf(row.id, row.version) + hashOf(row.id, this.commits)) >>> 0;
    row.version = this.commits;
    this.#table.replace(row.recordId, row.version, row.version, jsonOf(row.id, row.version));
  }

  #rename(row: Row): void {
    const { id } = row;
    if (id <= permanent) return;
    this.#sum = (this.#sum - hashOf(id, row.version)) >>> 0;
    this.#ids.delete(id);
    row.id = this.#freeId();
    row.version = this.commits;
    this.#ids.add(row.id);
    this.#sum = (this.#sum + hashOf(row.id, row.version)) >>> 0;
    this.#table.replace(row.recordId, row.version, row.version, jsonOf(row.id, row.version));
    this.#table.rename(row.recordId, BigInt(id), BigInt(row.id), 0);
  }

  #removeOne(): void {
    const row = this.#anyRow();
    if (row.id <= permanent) return;
    this.#table.remove(row.recordId, BigInt(row.id), 0);
    this.#sum = (this.#sum - hashOf(row.id, row.version)) >>> 0;
    this.#ids.delete(row.id);
    const last = this.#rows.pop();
    if (last !== undefined && last !== row) this.#rows[this.#rows.indexOf(row)] = last;
  }

  /** As after a bulk: all records are dropped and read again, here in one commit. */
  #reload(): void {
    this.commits++;
    this.#table.clear();
    this.#rows.sort((a, b) => a.recordId - b.recordId);
    for (const row of this.#rows) this.#append(row);
    this.#publish();
  }

  /** The table leaves memory, and is filled again. */
  *#leave(): Generator<void, void> {
    this.commits++;
    this.#table.state = state.off;
    this.#table.clear();
    this.memory.release();
    this.#publish();
    yield;
    this.#table.state = state.filling;
    for (const [index, row] of this.#rows.entries()) {
      this.#append(row);
      if (index % 20 !== 0) continue;
      this.commits++;
      this.#publish();
      yield;
    }
    this.commits++;
    this.#table.state = state.ready;
    this.#publish();
  }

  #anyRow(): Row {
    const row = this.#rows[Math.floor(Math.random() * this.#rows.length)];
    if (row === undefined) throw new Error('no rows');
    return row;
  }

  #freeId(): number {
    for (;;) {
      const id = permanent + 1 + Math.floor(Math.random() * (mostIds - permanent));
      if (!this.#ids.has(id)) return id;
    }
  }
}

const post = (message: FromWriter) => self.postMessage(message, 'memory' in message ? [message.memory.port] : []);

self.onmessage = async ({ data }: MessageEvent<StartWriter>) => {
  const writer = new Writer(data.roots);
  const phases = writer.phases();
  self.onmessage = () => post({ memory: writer.memory.shared() });
  post({ commits: 0 });
  for (let highest = usualBytes; ; ) {
    for (let commit = 0; commit < perTurn; commit++) phases.next();
    const { bytes } = writer.memory;
    if (bytes > highest) await Bun.sleep(((bytes - highest) / 2 ** 20) * pauseMsPerMiB);
    highest = Math.max(highest, bytes);
    const mistake = `memory has grown to ${bytes} bytes`;
    post({ commits: writer.commits, ...(bytes > mostBytes ? { mistake } : undefined) });
    if (bytes > mostBytes) return;
    await new Promise(setImmediate);
  }
};
