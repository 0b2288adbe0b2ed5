/** The plots of the last hour. Their cursors move together, and a click chooses the moment. */
import { useMemo } from 'preact/hooks';
import type { Figures, Sample } from '../../api/figures.ts';
import { type Line, Plot } from '../../parts/plot.tsx';
import { short } from '../../parts/values/amount.ts';
import { failureLines, line, seriesOf } from './series.ts';

export type PlotsProps = {
  readonly figures: Figures;
  readonly chosen: Sample | undefined;
  readonly onChoose: (sample: Sample) => void;
};

const milliseconds = (value: number) => `${short(value)} ms`;
const mebibytes = (value: number) => `${short(value)} MiB`;
const mebi = 1024 * 1024;
/** Of a plot with its legend, which has none if there is one line. */
const height = { withLegend: 150, alone: 186 };

export function Plots({ figures, chosen, onChoose }: PlotsProps) {
  const { series, plots } = useMemo(() => plotsOf(figures), [figures]);
  return (
    <div class="plots">
      {plots.map(({ title, lines, format = short }) => (
        <section key={title} class="plot-card card">
          <h3>{title}</h3>
          {lines.length === 0 ? (
            <p class="soft">None in the last hour.</p>
          ) : (
            <Plot
              summary={summaryOf(title, lines, format)}
              times={series.times}
              lines={lines}
              format={format}
              height={lines.length > 1 ? height.withLegend : height.alone}
              marked={chosen === undefined ? undefined : Date.parse(chosen.at) / 1000}
              onPick={(place) => {
                const sample = series.samples[place];
                if (sample !== undefined) onChoose(sample);
              }}
            />
          )}
        </section>
      ))}
    </div>
  );
}

type PlotOf = { readonly title: string; readonly lines: readonly Line[]; readonly format?: (value: number) => string };

function plotsOf(figures: Figures) {
  const series = seriesOf(figures);
  const perSecond = (count: number) => count / figures.sample_seconds;
  const plots: readonly PlotOf[] = [
    { title: 'Requests a second', lines: [line(series, 'Requests', '--accent', (one) => perSecond(one.requests))] },
    {
      title: 'Time to an answer',
      lines: [
        line(series, 'p99', '--danger', (one) => one.p99_ms),
        line(series, 'p50', '--accent', (one) => one.p50_ms),
      ],
      format: milliseconds,
    },
    { title: 'Commits a second', lines: [line(series, 'Commits', '--accent', (one) => perSecond(one.commits))] },
    {
      title: 'Writes in a commit, on average',
      lines: [line(series, 'Writes', '--accent', ({ commits, writes }) => (commits === 0 ? null : writes / commits))],
    },
    {
      title: 'The longest commit',
      lines: [line(series, 'Longest', '--danger', (one) => one.commit_ms)],
      format: milliseconds,
    },
    { title: 'Failures by code', lines: failureLines(series) },
    {
      title: 'Memory',
      lines: [line(series, 'Memory', '--accent', (one) => one.memory_bytes / mebi)],
      format: mebibytes,
    },
    {
      title: 'Connections',
      lines: [
        line(series, 'Open', '--accent', (one) => one.connections),
        line(series, 'To the live feed', '--warn', (one) => one.listeners),
      ],
    },
  ];
  return { series, plots };
}

/** For people who do not see it: the highest and the newest value of each line. */
function summaryOf(title: string, lines: readonly Line[], format: (value: number) => string): string {
  const each = lines.map(({ label, values }) => {
    const known = values.filter((value) => value !== null);
    const newest = known.at(-1);
    return newest === undefined
      ? `${label}: none`
      : `${label}: at most ${format(Math.max(...known))}, now ${format(newest)}`;
  });
  return `${title} in the last hour. ${each.join('. ')}.`;
}
