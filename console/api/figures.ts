/** The figures of the last hour, one sample for each ten seconds. */
import { plain } from './json.ts';
import { send } from './request.ts';

export type Sample = {
  readonly at: string;
  readonly requests: number;
  /** Null without requests. */
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
  readonly slowest: {
    readonly route: string;
    readonly method: string;
    readonly status: number;
    readonly ms: number;
    readonly request_id: string;
    /** The names of its query parameters. */
    readonly parameters: readonly string[];
  } | null;
  readonly commits: number;
  readonly writes: number;
  readonly commit_ms: number;
  readonly errors: Readonly<Record<string, number>>;
  readonly memory_bytes: number;
  readonly connections: number;
  readonly listeners: number;
  readonly writes_waiting: number;
};

export type Figures = {
  /** When the process that answers started. */
  readonly since: string;
  readonly sample_seconds: number;
  /** The oldest first. */
  readonly samples: readonly Sample[];
};

/** How often each code of a failure occurred, the most frequent first. */
export function failureCounts(samples: readonly Pick<Sample, 'errors'>[]): readonly [code: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { errors } of samples)
    for (const [code, count] of Object.entries(errors)) counts.set(code, (counts.get(code) ?? 0) + count);
  return [...counts].sort(([, one], [, other]) => other - one);
}

export async function readFigures(signal: AbortSignal): Promise<Figures> {
  return plain(await send({ path: '/api/v2/figures', signal })) as Figures;
}
