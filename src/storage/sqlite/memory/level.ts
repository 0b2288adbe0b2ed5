/**
 * How far the file and the memory are, for all threads: whether a commit is in flight, and the last change that memory shows. A commit
 * is visible in the file before memory has it, so an answer from the file waits until it has. This makes reads consistent: a
 * change that one answer has shown is in every later answer, from the file or from memory, on any thread.
 */
import { Stamps, stampBytes } from './stamps.ts';
import { blockBytes } from './view.ts';

const at = { commits: 0, walKb: 1, blocks: 2, run: 3, damage: 6 } as const;
/** The last change, as a 64-bit word. */
const changeAt = 2;
const bytes = 32;
/** In milliseconds. A writer that ends during a commit wakes nobody. */
const longestWait = 1000;

export class Level {
  /** Which records have changed. */
  readonly stamps: Stamps;
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #changes: BigInt64Array<SharedArrayBuffer>;

  /** Other threads open it with `shared`. */
  constructor(readonly shared = new SharedArrayBuffer(bytes + stampBytes)) {
    this.#words = new Int32Array(shared, 0, bytes / 4);
    this.#changes = new BigInt64Array(shared, 0, bytes / 8);
    this.stamps = new Stamps(shared, bytes);
  }

  /** Odd from before a commit is visible in the file until memory shows it. */
  get commits(): number {
    return Atomics.load(this.#words, at.commits);
  }

  /** The number of the last change that memory shows. */
  get lastChange(): number {
    return Number(Atomics.load(this.#changes, changeAt));
  }

  /** The size of the WAL after the last commit. */
  get walBytes(): number {
    return Atomics.load(this.#words, at.walKb) * 1024;
  }

  /** Of records in memory, in bytes; without the hot ones. */
  get memoryBytes(): number {
    return Atomics.load(this.#words, at.blocks) * blockBytes;
  }

  set memoryBytes(size: number) {
    Atomics.store(this.#words, at.blocks, Math.ceil(size / blockBytes));
  }

  /** The run of the writer whose memory is valid; 0 while there is none. */
  get run(): number {
    return Atomics.load(this.#words, at.run);
  }

  set run(run: number) {
    Atomics.store(this.#words, at.run, run);
  }

  /** Whether a thread has found the file damaged. */
  get isDamaged(): boolean {
    return Atomics.load(this.#words, at.damage) === 1;
  }

  /** Returns whether this thread is the first to find it. */
  foundDamage(): boolean {
    return Atomics.exchange(this.#words, at.damage, 1) === 0;
  }

  /** By the writer: from now on the file may be ahead of memory. */
  begin(): void {
    if (this.commits % 2 === 0) Atomics.add(this.#words, at.commits, 1);
  }

  /** By the writer: memory shows everything up to this change. */
  end(lastChange: number, walBytes = 0): void {
    Atomics.store(this.#words, at.walKb, Math.min(walBytes / 1024, 2 ** 31 - 1));
    Atomics.store(this.#changes, changeAt, BigInt(lastChange));
    Atomics.add(this.#words, at.commits, this.commits % 2 === 0 ? 2 : 1);
    Atomics.notify(this.#words, at.commits);
  }

  /** Undefined if memory already shows this change; otherwise resolves when it does. */
  reached(change: number): Promise<void> | undefined {
    return change <= this.lastChange ? undefined : this.#waitFor(change);
  }

  /** Resolves when there was a commit after `commits`, or after a second. */
  async after(commits: number): Promise<void> {
    const waiting = Atomics.waitAsync(this.#words, at.commits, commits, longestWait);
    if (waiting.async) await waiting.value;
  }

  async #waitFor(change: number): Promise<void> {
    for (;;) {
      const { commits } = this;
      if (change <= this.lastChange) return;
      await this.after(commits);
    }
  }
}
