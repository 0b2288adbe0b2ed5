/** The samples of the last hour as lines of plots. */
import { type Figures, failureCounts, type Sample } from '../../api/figures.ts';
import type { Line } from '../../parts/plot.tsx';

const hourSeconds = 3600;
const colors = ['--danger', '--warn', '--accent', '--good', '--ink'];

export type Series = {
  /** In seconds since 1970. An hour long, also after a start: the first one may have no sample. */
  readonly times: readonly number[];
  readonly samples: readonly (Sample | undefined)[];
};

export function seriesOf({ samples }: Figures): Series {
  const times = samples.map(({ at }) => Date.parse(at) / 1000);
  const start = (times.at(-1) ?? 0) - hourSeconds;
  return (times[0] ?? 0) <= start ? { times, samples } : { times: [start, ...times], samples: [undefined, ...samples] };
}

export function line(
  { samples }: Series,
  label: string,
  color: string,
  amountOf: (sample: Sample) => number | null,
): Line {
  return { label, color, values: samples.map((sample) => (sample === undefined ? null : amountOf(sample))) };
}

/** A line for each of the most frequent codes, and one for the others. */
export function failureLines(series: Series): Line[] {
  const codes = failureCounts(series.samples.filter((sample) => sample !== undefined)).map(([code]) => code);
  const shown = codes.length > colors.length ? codes.slice(0, colors.length - 1) : codes;
  const others = codes.slice(shown.length);
  const lines = shown.map((code, place) => line(series, code, colors[place] ?? '', ({ errors }) => errors[code] ?? 0));
  if (others.length === 0) return lines;
  const rest = ({ errors }: Sample) => others.reduce((sum, code) => sum + (errors[code] ?? 0), 0);
  return [...lines, line(series, 'others', colors.at(-1) ?? '', rest)];
}
