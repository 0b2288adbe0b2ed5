/** The metrics registry. A scrape covers all threads of the process, whichever of them answers it. */
import type { Soon } from '../../domain/soon.ts';
import { Counters, type Counts } from './counters.ts';
import { head, line, type MetricSample } from './exposition.ts';

/** A metric that is read at each scrape. */
export type Gauge = {
  readonly name: string;
  readonly help: string;
  readonly type?: 'gauge' | 'counter';
  /**
   * For a metric with one sample that differs between threads: how to combine them. Without it, the value of one thread
   * is that of the process.
   */
  readonly over?: 'sum' | 'longest';
  /** No other thread has this metric: their scrapes include it. */
  readonly onOneThread?: true;
  read(): Soon<readonly MetricSample[]>;
};

/** A metric with one value. */
export function gauge(name: string, help: string, read: () => number, more: Partial<Gauge> = {}): Gauge {
  return { name, help, ...more, read: () => [{ value: read() }] };
}

/** What one thread contributes to the scrape of another one. */
export type ThreadMetrics = {
  readonly counts: Counts;
  readonly gauges: Readonly<Record<string, number>>;
  /** The text of metrics that only this thread has. */
  readonly lines: readonly string[];
};

export class Metrics extends Counters {
  #ofApp: readonly Gauge[] = [];
  readonly #gauges: Gauge[] = [];

  /** `ofOthers`: the metrics of all other threads of the process. */
  constructor(readonly ofOthers: () => Promise<readonly ThreadMetrics[]> = async () => []) {
    super();
  }

  add(...gauges: readonly Gauge[]): void {
    this.#gauges.push(...gauges);
  }

  /** Those of the app that serves: another one has others. */
  ofApp(...gauges: readonly Gauge[]): void {
    this.#ofApp = gauges;
  }

  get #all(): readonly Gauge[] {
    return [...this.#ofApp, ...this.#gauges];
  }

  /** For the scrape of another thread. */
  async ofThread(): Promise<ThreadMetrics> {
    const gauges: Record<string, number> = {};
    const lines: string[] = [];
    for (const gauge of this.#all) {
      if (gauge.onOneThread) lines.push(...(await linesOf(gauge)));
      const [sample] = gauge.over === undefined ? [] : await samplesOf(gauge);
      if (sample !== undefined) gauges[gauge.name] = sample.value;
    }
    return { counts: this.counts, gauges, lines };
  }

  async text(): Promise<string> {
    const others = await this.ofOthers();
    const all = new Counters();
    for (const counts of [this.counts, ...others.map((other) => other.counts)]) all.merge(counts);
    const parts = all.lines();
    for (const gauge of this.#all) {
      const { name, over } = gauge;
      if (over === undefined) parts.push(...(await linesOf(gauge)));
      else {
        parts.push(headOf(gauge));
        const samples = await samplesOf(gauge);
        const values = [...samples.map(({ value }) => value), ...others.flatMap(({ gauges }) => gauges[name] ?? [])];
        if (values.length > 0) parts.push(line(name, {}, combined(over, values)));
      }
    }
    for (const { lines } of others) parts.push(...lines);
    return `${parts.join('\n')}\n`;
  }
}

function headOf({ name, help, type = 'gauge' }: Gauge): string {
  return head(name, type, help);
}

async function linesOf(gauge: Gauge): Promise<string[]> {
  const samples = await samplesOf(gauge);
  return [headOf(gauge), ...samples.map(({ labels = {}, value }) => line(gauge.name, labels, value))];
}

/** A metric that cannot be read now is left out. */
function samplesOf({ read }: Gauge): Promise<readonly MetricSample[]> {
  return (async () => read())().catch(() => []);
}

function combined(over: 'sum' | 'longest', values: readonly number[]): number {
  return over === 'longest' ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0);
}
