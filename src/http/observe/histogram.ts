/** A Prometheus histogram. */
import { type Labels, line } from './exposition.ts';

/** A histogram as data, for another thread. */
export type HistogramCounts = {
  readonly buckets: readonly number[];
  readonly sum: number;
  readonly count: number;
};

export class Histogram {
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  /** `bounds` are the upper bounds of the buckets, ascending. */
  constructor(readonly bounds: readonly number[]) {
    this.#counts = bounds.map(() => 0);
  }

  add(value: number): void {
    const { bounds } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? 0)) at++;
    if (at < bounds.length) this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
    this.#count++;
  }

  get counts(): HistogramCounts {
    return { buckets: [...this.#counts], sum: this.#sum, count: this.#count };
  }

  /** Adds the counts of a histogram with the same bounds. */
  merge({ buckets, sum, count }: HistogramCounts): void {
    for (const [at, one] of buckets.entries()) this.#counts[at] = (this.#counts[at] ?? 0) + one;
    this.#sum += sum;
    this.#count += count;
  }

  lines(name: string, labels: Labels): string[] {
    let cumulative = 0;
    const buckets = this.bounds.map((bound, at) => {
      cumulative += this.#counts[at] ?? 0;
      return line(`${name}_bucket`, { ...labels, le: String(bound) }, cumulative);
    });
    return [
      ...buckets,
      line(`${name}_bucket`, { ...labels, le: '+Inf' }, this.#count),
      line(`${name}_sum`, labels, this.#sum),
      line(`${name}_count`, labels, this.#count),
    ];
  }
}
