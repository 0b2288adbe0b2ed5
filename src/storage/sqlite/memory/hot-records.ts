/**
 * A cache of single records of collections that are not in memory. All serving threads read and write the same shards; the writing
 * thread adds shards and gives them back.
 */
import type { EncodedRecord } from '../../../domain/store.ts';
import { HotShard, hashOf } from './hot-shard.ts';
import type { Key } from './stamps.ts';

/** What a thread opens them with. */
export type SharedHotRecords = { readonly seed: number; readonly shards: readonly SharedArrayBuffer[] };

/** There are `count` shards now; `added` are the last of them, unless there are fewer than before. */
export type ShardChange = { readonly count: number; readonly added: readonly SharedArrayBuffer[] };

/** Enough that two threads rarely use one shard at once. A large budget has up to twice as many, and a small one has fewer, of the least size in bytes. */
const usualShards = 256;
const firstShards = 16;
/** The share of full shards at which their number doubles. Then half of them are full. */
const fullAt = 0.75;
const shardBytes = { least: 64 * 1024, most: 64 * 1024 * 1024 };

export class HotRecords {
  readonly #seed: number;
  #shards: HotShard[];

  constructor({ seed, shards }: SharedHotRecords) {
    this.#seed = seed;
    this.#shards = shards.map((shard) => new HotShard(shard, seed));
  }

  /** Written so far, in all shards. */
  get bytes(): number {
    return this.#shards.reduce((sum, shard) => sum + shard.bytes, 0);
  }

  /** Undefined unless it was kept with the same stamp. */
  get(key: Key, stamp: number): EncodedRecord | undefined {
    const hashed = hashOf(key, this.#seed);
    return this.#shards[shardOf(hashed, this.#shards.length)]?.get(key, hashed, stamp);
  }

  keep(key: Key, stamp: number, record: EncodedRecord): void {
    const hashed = hashOf(key, this.#seed);
    this.#shards[shardOf(hashed, this.#shards.length)]?.keep(key, hashed, stamp, record);
  }

  change({ count, added }: ShardChange): void {
    const kept = this.#shards.slice(0, count);
    this.#shards = [...kept, ...added.map((shard) => new HotShard(shard, this.#seed))];
  }
}

/**
 * The shards, on the writing thread. There are few at first: the garbage collector of each thread counts all shards, also empty ones, as
 * memory in use, and collects later the more there is.
 */
export class HotMemory {
  readonly #seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  readonly #size: number;
  #shards: HotShard[] = [];

  /** `budget` is the most that they may ever take, in bytes. */
  constructor(budget: number) {
    const share = 2 ** Math.floor(Math.log2(Math.max(1, budget / usualShards)));
    this.#size = Math.max(shardBytes.least, Math.min(share, shardBytes.most));
  }

  get shared(): SharedHotRecords {
    return { seed: this.#seed, shards: this.#shards.map(({ memory }) => memory) };
  }

  /** `limit` is what they may take now. Returns what readers have to know; undefined if nothing has changed. */
  resize(limit: number): ShardChange | undefined {
    const before = this.#shards.length;
    const full = this.#shards.filter(({ isFull }) => isFull).length;
    const wanted = full < before * fullAt ? before : Math.max(firstShards, before * 2);
    const count = Math.min(wanted, Math.floor(limit / this.#size));
    if (count === before) return undefined;
    // Pages that were never written take no memory of the system.
    const added = Array.from({ length: count - before }, () => new SharedArrayBuffer(this.#size));
    this.#shards = [...this.#shards.slice(0, count), ...added.map((memory) => new HotShard(memory, this.#seed))];
    return { count, added };
  }
}

/** One of `count` shards. With another number of them, as few keys as possible have another shard (jump consistent hash). */
function shardOf(hashed: number, count: number): number {
  let shard = -1;
  for (let next = 0, mixed = hashed; next < count; ) {
    shard = next;
    mixed = (Math.imul(mixed, 1_664_525) + 1_013_904_223) >>> 0;
    next = Math.floor((shard + 1) * (2 ** 32 / (mixed + 1)));
  }
  return shard;
}
