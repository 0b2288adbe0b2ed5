/** Metrics of the process, with the names that all Prometheus clients use. */
import { readdirSync } from 'node:fs';
import type { Gauge } from '../../http/observe/metrics.ts';
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

  const one = (read: () => number) => () => [{ value: read() }];
  const gauges: Gauge[] = [
    { name: 'shelf_build_info', help: 'The version that runs.', read: () => [{ labels: { version }, value: 1 }] },
    {
      name: 'shelf_event_loop_lag_seconds',
      help: 'The longest that work had to wait for its turn since the last scrape.',
      over: 'longest',
      read: one(() => {
        const longest = lag;
        lag = 0;
        return longest / 1000;
      }),
    },
    { name: 'process_resident_memory_bytes', help: 'Memory in use.', read: one(() => process.memoryUsage.rss()) },
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      help: 'Processor time, user and system.',
      read: one(() => {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1e6;
      }),
    },
    { name: 'process_start_time_seconds', help: 'When it started.', read: one(() => startedAt) },
  ];
  const limit = openFiles();
  if (limit !== undefined) {
    gauges.push(
      {
        name: 'process_open_fds',
        help: 'Files and sockets open.',
        read: one(() => readdirSync('/proc/self/fd').length),
      },
      { name: 'process_max_fds', help: 'How many may be open.', read: one(() => limit) },
    );
  }
  return { gauges, stop: () => clearInterval(sampling) };
}
