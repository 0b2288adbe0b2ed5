/**
 * Lets readers see all of a commit or nothing, without locks. The version is odd while something changes that a reader may be
 * reading: it waits then, and repeats what it has read meanwhile. See the rules in README.md.
 */

/** The words of block 0: the version, how many versions are kept, and one word for each of them, 0 if it is free; and how often a segment or shard was added or given back. */
const versionAt = 0;
const pinned = 1;
const layoutAt = 2;
const pins = { from: 64, to: 1024 };
/** In milliseconds. A writer that ends in the middle of a change wakes nobody. */
const longestWait = 10;
/** A change takes milliseconds. */
const mostWaits = 200;

/** The writer has ended in the middle of a change: what it has written cannot be read. */
export class Unsettled extends Error {}

export class Version {
  /** Atomics do not work on unsigned words. */
  readonly #words: Int32Array<SharedArrayBuffer>;
  /** The version that is being read. */
  #reading = 0;

  /** `first` is the segment with block 0. */
  constructor(first: SharedArrayBuffer) {
    this.#words = new Int32Array(first, 0, pins.to);
  }

  get current(): number {
    return Atomics.load(this.#words, versionAt);
  }

  /** How often a segment, or a shard of hot records, was added or given back. */
  get layoutChanges(): number {
    return Atomics.load(this.#words, layoutAt);
  }

  set layoutChanges(count: number) {
    Atomics.store(this.#words, layoutAt, count);
  }

  /** The result of `read`, which must not call back: all of it is from one version. Throws Unsettled. */
  read<Result>(read: (version: number) => Result): Result {
    for (;;) {
      const before = this.#settled();
      this.#reading = before;
      try {
        const result = read(before);
        if (this.current === before) return result;
      } catch (error) {
        if (this.current === before) throw error;
      }
    }
  }

  /** In `read`: throws if it is going to be repeated. */
  verify(): void {
    if (this.current !== this.#reading) throw new Error('the version has changed');
  }

  /** By the writer, before it changes what readers may be reading. */
  beginChange(): void {
    const version = this.current;
    if (version % 2 === 0) Atomics.store(this.#words, versionAt, version + 1);
  }

  /** By the writer. */
  endChange(): void {
    const version = this.current;
    if (version % 2 === 0) return;
    Atomics.store(this.#words, versionAt, version + 1);
    Atomics.notify(this.#words, versionAt);
  }

  /** Whether a reader keeps a version: what it shows must not change in place. */
  get isPinned(): boolean {
    return Atomics.load(this.#words, pinned) > 0;
  }

  /**
   * What the current version and later ones show stays in memory until the returned function is called. Undefined if too many
   * are kept; the reader has to copy then.
   */
  pin(): (() => void) | undefined {
    const words = this.#words;
    Atomics.add(words, pinned, 1);
    const leave = () => Atomics.sub(words, pinned, 1);
    // 0 means free, so the first version is 1 here.
    const kept = this.current + 1;
    for (let at = pins.from; at < pins.to; at++) {
      if (Atomics.compareExchange(words, at, 0, kept) !== 0) continue;
      return () => {
        Atomics.store(words, at, 0);
        leave();
      };
    }
    leave();
    return undefined;
  }

  /** The oldest version that a reader keeps; infinite if there is none. */
  get oldestPinned(): number {
    if (!this.isPinned) return Number.POSITIVE_INFINITY;
    let oldest = Number.POSITIVE_INFINITY;
    for (let at = pins.from; at < pins.to; at++) {
      const kept = Atomics.load(this.#words, at);
      if (kept !== 0) oldest = Math.min(oldest, kept - 1);
    }
    return oldest;
  }

  /** An even version. */
  #settled(): number {
    for (let waits = 0; waits < mostWaits; waits++) {
      const version = this.current;
      if (version % 2 === 0) return version;
      Atomics.wait(this.#words, versionAt, version, longestWait);
    }
    throw new Unsettled('the writer of memory has ended');
  }
}
