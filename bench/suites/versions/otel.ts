/** npm run bench -- --otel: the share of its throughput that Shelf keeps when it sends traces, metrics and logs, at 1 % sampling. */
import type { Plan } from '../../measure/two-servers.ts';
import { type Work, works } from '../../measure/work.ts';
import { shelfPeer } from '../../servers/shelf.ts';
import { comparePeers, type WorkComparison } from './against.ts';

/** The lowest accepted ratio of throughput. */
export const otelFloor = 0.95;
export const otelWorks = works.filter(({ name }) => ['get', 'post'].includes(name));

/** Both write a log. The collector takes everything and reads nothing of it: its own time is not measured. */
export async function otelBench(
  chosen: readonly Work[],
  plan: Plan,
  folder: string,
  say: (text: string) => void,
): Promise<WorkComparison[]> {
  const collector = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  };
  try {
    const flags = ['--log', 'json'];
    const sending = shelfPeer('shelf with OpenTelemetry', { flags, env });
    return await comparePeers([sending, shelfPeer('shelf', { flags })], chosen, plan, folder, say);
  } finally {
    await collector.stop(true);
  }
}
