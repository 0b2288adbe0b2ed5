/** Metrics of the process, with the names that all Prometheus clients use. */
import { readdirSync } from 'node:fs';
import { type Gauge, gauge } from '../../http/observe/metrics.ts';
import { openFiles } from './open-files.ts';

const sampleMs = 500;

/** `stop` ends the sampling. */
export function processFigures(version: string): { readonly gauges: readonly Gauge[]; stop(): void } {
  const startedAt = Date.now() / 1000 - process.uptime();
  let lag = 0;
  let expected = performance.now() + sampleMs;
  const sampling = setInterval(() => {
    const now = performance.now();
    lag = Math.max(lag, now - expected);
    expected = now + sampleMs;
  }, sampleMs);

  function takeLag(): number {
    const longest = lag;
    lag = 0;
    return longest / 1000;
  }
  function cpuSeconds(): number {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  const gauges: Gauge[] = [
    { name: 'shelf_build_info', help: 'The version that runs.', read: () => [{ labels: { version }, value: 1 }] },
    gauge(
      'shelf_event_loop_lag_seconds',
      'The longest that work had to wait for its turn since the last scrape.',
      takeLag,
      { over: 'longest' },
    ),
    gauge('process_resident_memory_bytes', 'Memory in use.', () => process.memoryUsage.rss()),
    gauge('process_cpu_seconds_total', 'Processor time, user and system.', cpuSeconds, { type: 'counter' }),
    gauge('process_start_time_seconds', 'When it started.', () => startedAt),
  ];
  const limit = openFiles();
  if (limit !== undefined) {
    gauges.push(
      gauge('process_open_fds', 'Files and sockets open.', () => readdirSync('/proc/self/fd').length),
      gauge('process_max_fds', 'How many may be open.', () => limit),
    );
  }
  return { gauges, stop: () => clearInterval(sampling) };
}
