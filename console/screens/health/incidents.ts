/** What stands out in the last hour, in sentences: the first thing to read when the service was slow. */
import type { Figures, Sample } from '../../api/figures.ts';
import { clock, short } from '../../parts/values/amount.ts';

/** `at` is the moment that it is about. */
export type Incident = { readonly text: string; readonly at: string };

/** Answers slower than this are noticed by people. */
const slowMs = 100;
/** The p99 of fewer requests is one of them, which may be slow by chance; and half of very few are one or two. */
const enough = { forP99: 100, forHalf: 20 };
const slowCommitMs = 1000;
const manyWaiting = 1000;
/** Samples with the same trouble that are this close are one. */
const gapMs = 60_000;
const mostOfAKind = 2;

/** Failures that are not the client's. */
export const serverFailures: readonly string[] = [
  'internal',
  'storage_unavailable',
  'outcome_unknown',
  'overloaded',
  'timed_out',
  'not_ready',
  'issuer_unavailable',
];

/** Empty if there is nothing to say. */
export function incidentsIn({ samples }: Figures): Incident[] {
  return [
    ...failures(samples),
    ...worst(samples, slowMs, slowness, slowAnswers),
    ...worst(samples, slowCommitMs, ({ commit_ms: ms }) => ms, slowCommits),
    ...worst(samples, manyWaiting, ({ writes_waiting: count }) => count, waitingWrites),
  ];
}

/** In milliseconds; 0 if there are too few requests to tell. */
function slowness({ requests, p50_ms: p50, p99_ms: p99 }: Sample): number {
  const isHalfSlow = requests >= enough.forHalf && (p50 ?? 0) > slowMs;
  return requests >= enough.forP99 || isHalfSlow ? (p99 ?? 0) : 0;
}

/** Whether the answers of the hour are enough to call them fast. */
export function areEnough({ samples }: Figures): boolean {
  return samples.reduce((sum, { requests }) => sum + requests, 0) >= enough.forP99;
}

type Episode = { readonly first: Sample; readonly last: Sample; readonly worst: Sample };

/** The worst episodes in which a value was above a bound. */
function worst(
  samples: readonly Sample[],
  bound: number,
  amountOf: (sample: Sample) => number,
  describe: (episode: Episode) => string,
): Incident[] {
  const episodes: Episode[] = [];
  for (const sample of samples) {
    if (amountOf(sample) <= bound) continue;
    const current = episodes.at(-1);
    if (current === undefined || Date.parse(sample.at) - Date.parse(current.last.at) > gapMs)
      episodes.push({ first: sample, last: sample, worst: sample });
    else
      episodes.splice(-1, 1, {
        ...current,
        last: sample,
        worst: amountOf(sample) > amountOf(current.worst) ? sample : current.worst,
      });
  }
  return episodes
    .sort((one, other) => amountOf(other.worst) - amountOf(one.worst))
    .slice(0, mostOfAKind)
    .map((episode) => ({ text: describe(episode), at: episode.worst.at }));
}

function slowAnswers(episode: Episode): string {
  const { slowest } = episode.worst;
  const which = slowest === null ? '' : `, the slowest was ${requestOf(slowest)}, ${short(slowest.ms)} ms`;
  return `Answers were slow ${when(episode)}: ${howMany(episode.worst)}${which}.`;
}

/** "About", because quantiles are exact to 6%. */
function howMany({ p50_ms: p50, p99_ms: p99 }: Sample): string {
  if (p50 !== null && p50 > slowMs) return `half of the answers took about ${short(p50)} ms or more`;
  return `1 of 100 took about ${short(p99 ?? 0)} ms or more`;
}

function slowCommits(episode: Episode): string {
  return `A commit took ${short(episode.worst.commit_ms)} ms ${when(episode)}: the disk or the database was slow, or a bulk was large.`;
}

function waitingWrites(episode: Episode): string {
  return `${short(episode.worst.writes_waiting)} writes waited for a commit ${when(episode)}.`;
}

/** The failures of the server, all of a code in one sentence. */
function failures(samples: readonly Sample[]): Incident[] {
  return serverFailures.flatMap((code) => {
    const failed = samples.filter(({ errors }) => (errors[code] ?? 0) > 0);
    const [first] = failed;
    if (first === undefined) return [];
    const count = failed.reduce((sum, { errors }) => sum + (errors[code] ?? 0), 0);
    const most = failed.reduce((one, other) => ((other.errors[code] ?? 0) > (one.errors[code] ?? 0) ? other : one));
    const episode = { first, last: failed.at(-1) ?? first, worst: most };
    return [
      {
        text: `${short(count)} ${count === 1 ? 'request' : 'requests'} failed with ${code} ${when(episode)}.`,
        at: most.at,
      },
    ];
  });
}

type Described = { readonly method: string; readonly route: string; readonly parameters: readonly string[] };

/** A list is as slow as its filters and its order, so they are part of what the request is. */
export function requestOf({ method, route, parameters }: Described): string {
  if (method === '') return 'a request that could not be read';
  const query = parameters.length === 0 ? '' : ` with ${parameters.join(', ')}`;
  return `${method} ${route === '' ? 'an unknown path' : route}${query}`;
}

function when({ first, last, worst: { at } }: Episode): string {
  const [from, to, peak] = [clock(first.at), clock(last.at), clock(at)];
  if (from === to) return `at ${peak}`;
  return `from ${from} to ${to}, most at ${peak}`;
}
