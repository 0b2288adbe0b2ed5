/** All synchronization of shared memory between threads. No other file of the storage uses Atomics: README.md says which store each load here synchronizes with. */
import { type Halves, halvesOf, hash } from './hash.ts';

type Words = Uint32Array<SharedArrayBuffer>;

/** Words of `Roots`. Each slot has its own cache line, to avoid false sharing. */
const rootAt = 0;
const segmentsAt = 1;
const lineWords = 16;
/** More than --threads can ask for. */
export const mostReaders = 1023;

/** The current root, and the oldest root that each reader holds. Each run of the writer has its own `Roots`. 0 is no root. */
export class Roots {
  readonly #words: Words;

  /** Other threads open it with `shared`. */
  constructor(readonly shared = new SharedArrayBuffer((mostReaders + 1) * lineWords * 4)) {
    this.#words = new Uint32Array(shared);
  }

  /** By the writer. A reader that takes this root sees everything that was written before. */
  publish(root: number): void {
    Atomics.store(this.#words, rootAt, root);
  }

  /** By the thread that supervises the writer, when the writer has ended: from now on there is no root. */
  end(): void {
    Atomics.store(this.#words, rootAt, 0);
  }

  /** By the writer, after it has sent a change of segments to the readers. */
  segmentsChanged(): void {
    Atomics.add(this.#words, segmentsAt, 1);
  }

  /** By the writer, when the reader of the slot has ended. */
  free(slot: number): void {
    Atomics.store(this.#words, slotAt(slot), 0);
  }

  /** By the writer: the oldest root that the reader holds; 0 if it holds none. */
  heldBy(slot: number): number {
    return Atomics.load(this.#words, slotAt(slot));
  }
}

/** A reader's own slot. While it has a root, no page that this root or a later one shows is reused. */
export class ReaderSlot {
  readonly #words: Words;
  readonly #slot: number;
  /** The depth of nested reads. */
  #reads = 0;
  /** The root of the reads in progress; 0 if there are none. */
  #root = 0;
  /** Roots that are held beyond a read, the oldest first. */
  readonly #pins = new Set<{ readonly root: number }>();
  #isClosed = false;

  constructor(shared: SharedArrayBuffer, slot: number) {
    this.#words = new Uint32Array(shared);
    this.#slot = slotAt(slot);
  }

  /** How often segments have changed, modulo 2^32. */
  get segmentChanges(): number {
    return Atomics.load(this.#words, segmentsAt);
  }

  /** The current root, held until `leave` is called; 0 if the writer has ended. A read within a read has the same root. */
  enter(): number {
    if (this.#reads++ === 0) this.#root = this.#isClosed ? 0 : this.#take();
    return this.#root;
  }

  leave(): void {
    if (--this.#reads > 0 || this.#isClosed) return;
    this.#root = 0;
    if (this.#pins.size === 0) Atomics.store(this.#words, this.#slot, 0);
  }

  /** During a read: holds its root until the returned function is called. */
  pin(): () => void {
    const pin = { root: this.#root };
    this.#pins.add(pin);
    return () => {
      if (!this.#pins.delete(pin) || this.#isClosed) return;
      const [oldest] = this.#pins;
      Atomics.store(this.#words, this.#slot, oldest?.root ?? this.#root);
    };
  }

  /** From now on the slot may belong to another reader. */
  close(): void {
    this.#isClosed = true;
  }

  /** Announces the root before it is used: the second load shows that the writer has not published another one meanwhile. */
  #take(): number {
    let root = Atomics.load(this.#words, rootAt);
    // An older root in the slot protects all later ones, too.
    if (this.#pins.size > 0) return root;
    for (;;) {
      Atomics.store(this.#words, this.#slot, root);
      const current = Atomics.load(this.#words, rootAt);
      if (current === root) return root;
      root = current;
    }
  }
}

function slotAt(slot: number): number {
  return (slot + 1) * lineWords;
}

/** 64-bit words of `CommitProgress`. */
const at = { commits: 0, lastChange: 1, walBytes: 2, memoryBytes: 3, hotBytes: 4, damage: 5 } as const;
const progressBytes = 64;
/** In milliseconds: the time-out of a wait, because a writer that ends during a commit does not notify. */
const longestWait = 1000;

/**
 * Commit progress, shared by all threads: whether a commit is in flight, and the last change that memory shows. A commit is visible in the
 * file before it is in memory, so an answer from the file waits until it is. This makes reads consistent: a change that one answer has
 * shown is in every later answer, from the file or from memory, on any thread.
 */
export class CommitProgress {
  /** Which records have changed. */
  readonly stamps: Stamps;
  readonly #words: BigInt64Array<SharedArrayBuffer>;

  /** Other threads open it with `shared`. */
  constructor(readonly shared = new SharedArrayBuffer(progressBytes + stampBytes)) {
    this.#words = new BigInt64Array(shared, 0, progressBytes / 8);
    this.stamps = new Stamps(shared, progressBytes);
  }

  /** Odd from before a commit is visible in the file until memory shows it. */
  get commits(): number {
    return this.#load(at.commits);
  }

  /** The number of the last change that memory shows. */
  get lastChange(): number {
    return this.#load(at.lastChange);
  }

  /** The size of the WAL after the last commit. */
  get walBytes(): number {
    return this.#load(at.walBytes);
  }

  /** Bytes used by collections in memory, without hot records. */
  get memoryBytes(): number {
    return this.#load(at.memoryBytes);
  }

  set memoryBytes(bytes: number) {
    this.#store(at.memoryBytes, bytes);
  }

  /** Bytes that each serving thread may use for hot records. */
  get hotBytes(): number {
    return this.#load(at.hotBytes);
  }

  set hotBytes(bytes: number) {
    this.#store(at.hotBytes, bytes);
  }

  /** Whether a thread has found the file damaged. */
  get isDamaged(): boolean {
    return this.#load(at.damage) === 1;
  }

  /** Returns whether this thread is the first to find it. */
  foundDamage(): boolean {
    return Atomics.exchange(this.#words, at.damage, 1n) === 0n;
  }

  /** By the writer: from now on the file may be ahead of memory. */
  begin(): void {
    if (this.commits % 2 === 0) Atomics.add(this.#words, at.commits, 1n);
  }

  /** By the writer: memory shows everything up to this change. */
  end(lastChange: number, walBytes = 0): void {
    this.#store(at.walBytes, walBytes);
    this.#store(at.lastChange, lastChange);
    Atomics.add(this.#words, at.commits, this.commits % 2 === 0 ? 2n : 1n);
    Atomics.notify(this.#words, at.commits);
  }

  /** Undefined if memory already shows this change; otherwise resolves when it does. */
  reached(change: number): Promise<void> | undefined {
    return change <= this.lastChange ? undefined : this.#waitFor(change);
  }

  /** Resolves when there was a commit after `commits`, or after a second. */
  async after(commits: number): Promise<void> {
    const waiting = Atomics.waitAsync(this.#words, at.commits, BigInt(commits), longestWait);
    if (waiting.async) await waiting.value;
  }

  async #waitFor(change: number): Promise<void> {
    for (;;) {
      const { commits } = this;
      if (change <= this.lastChange) return;
      await this.after(commits);
    }
  }

  #load(word: number): number {
    return Number(Atomics.load(this.#words, word));
  }

  #store(word: number, value: number): void {
    Atomics.store(this.#words, word, BigInt(value));
  }
}

/** `table` combines the place of the collection and whether the key is a contract id or a record id. */
export type Key = Halves & { readonly table: number };

export function idKey(place: number, contractId: bigint | number): Key {
  return { table: place * 2, ...halvesOf(contractId) };
}

export function recordKey(place: number, recordId: number): Key {
  return { table: place * 2 + 1, ...halvesOf(recordId) };
}

/** The number of stamps. With a million cached records, a change of one invalidates three others. */
const groups = 2 ** 18;
/** The stamp of all records: incremented when any record may have changed, and when a group overflows. */
const all = groups;
const stampBytes = (groups + 1) * 4;
/** A group has 31 bits, so that a stamp is exact in a double. */
const groupBound = 2 ** 31;

/**
 * Invalidates hot records: each group of records has a number that changes with every change of one of them, and never repeats. An
 * append changes no stamp: a record id is never reused, and a contract id leads to the earliest record. So a thread may cache a record,
 * but not its absence.
 */
export class Stamps {
  readonly #words: Words;

  constructor(shared: SharedArrayBuffer, offset: number) {
    this.#words = new Uint32Array(shared, offset, groups + 1);
  }

  of(key: Key): number {
    return Atomics.load(this.#words, all) * groupBound + Atomics.load(this.#words, groupOf(key));
  }

  /** By the writer, after the commit is in the file and before any thread can answer with it. */
  changed(key: Key): void {
    const group = groupOf(key);
    const next = Atomics.load(this.#words, group) + 1;
    if (next === groupBound) this.allChanged();
    Atomics.store(this.#words, group, next % groupBound);
  }

  allChanged(): void {
    Atomics.add(this.#words, all, 1);
  }
}

function groupOf(key: Key): number {
  return hash(key, key.table) % groups;
}
