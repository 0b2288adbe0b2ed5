/** How long requests took, as counts in buckets that grow by a twelfth of an octave: a quantile is exact to 6%. */

const perOctave = 12;
/** Bucket 0 has everything up to a microsecond, the last one everything beyond 17 minutes. */
const shortestMs = 0.001;
const buckets = 30 * perOctave;

export type LatencyCounts = { readonly buckets: readonly (readonly [number, number])[]; readonly longest: number };

export class Latencies {
  readonly #counts = new Uint32Array(buckets);
  #count = 0;
  #longest = 0;

  get count(): number {
    return this.#count;
  }

  add(ms: number): void {
    const at = ms <= shortestMs ? 0 : Math.ceil(Math.log2(ms / shortestMs) * perOctave);
    const bucket = Math.min(at, buckets - 1);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#count++;
    if (ms > this.#longest) this.#longest = ms;
  }

  /**
   * The upper bound of the bucket with this share of all requests, from 0 to 1, and no more than the longest request; undefined
   * without requests.
   */
  quantile(share: number): number | undefined {
    if (this.#count === 0) return undefined;
    const wanted = Math.max(1, Math.ceil(share * this.#count));
    let seen = 0;
    const at = this.#counts.findIndex((count) => {
      seen += count;
      return seen >= wanted;
    });
    return Math.min(shortestMs * 2 ** (at / perOctave), this.#longest);
  }

  /** The counts as data, for another thread: pairs of a bucket and its count. */
  get counts(): LatencyCounts {
    const buckets: [number, number][] = [];
    for (const [at, count] of this.#counts.entries()) if (count > 0) buckets.push([at, count]);
    return { buckets, longest: this.#longest };
  }

  merge({ buckets, longest }: LatencyCounts): void {
    for (const [at, count] of buckets) {
      this.#counts[at] = (this.#counts[at] ?? 0) + count;
      this.#count += count;
    }
    if (longest > this.#longest) this.#longest = longest;
  }

  clear(): void {
    this.#counts.fill(0);
    this.#count = 0;
    this.#longest = 0;
  }
}
