/** npm run bench -- --otel: the share of its throughput that Shelf keeps when it sends traces, metrics and logs, at 1 % sampling. */
import type { Script } from '../../measure/load.ts';
import type { Plan } from '../../measure/two-servers.ts';
import { type Work, works } from '../../measure/work.ts';
import { shelfPeer } from '../../servers/shelf.ts';
import { comparePeers, type WorkComparison } from './against.ts';

/** The lowest accepted ratio of throughput. */
export const otelFloor = 0.95;
export const otelWorks = works.filter(({ name }) => ['get', 'post'].includes(name));

/** Of a caller that is sampled. */
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/**
 * For every other warm-up. If one request of a hundred is recorded, the runtime compiles the code for it a hundred times later: it would still be
 * interpreted while it is measured.
 */
function allRecorded({ lua, ...script }: Script): Script {
  return { ...script, lua: `wrk.headers["traceparent"] = "${traceparent}"\n${lua}` };
}

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
    return await comparePeers([sending, shelfPeer('shelf', { flags })], chosen, plan, folder, say, allRecorded);
  } finally {
    await collector.stop(true);
  }
}
