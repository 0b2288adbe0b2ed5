/** A plot over time. It has no inline style, and follows the color scheme. */
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { lazy } from './lazy.tsx';
import { clock } from './values/amount.ts';
import './plot.css';

export type Line = {
  readonly label: string;
  /** The name of a color of the theme, such as `--accent`. */
  readonly color: string;
  /** One for each time; null where there is none. */
  readonly values: readonly (number | null)[];
};

export type PlotProps = {
  /** What it shows, in a sentence for people who do not see it. */
  readonly summary: string;
  /** In seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly kind?: 'line' | 'bars';
  readonly height?: number;
  readonly format?: (value: number) => string;
  /** A time with a line through it. */
  readonly marked?: number | undefined;
  /** Called with the place in `times` that was clicked. */
  readonly onPick?: (place: number) => void;
};

const font = '11px system-ui, sans-serif';

type Library = typeof uPlot;

/** It takes a browser longer to start the library than to draw a screen, so it comes with the first plot. */
const DrawnPlot = lazy<PlotProps>(async () => {
  const { default: library } = await import('uplot');
  return (props) => <PlotWith library={library} {...props} />;
});

export function Plot(props: PlotProps) {
  return (
    <div class="plot">
      <DrawnPlot {...props} />
    </div>
  );
}

function PlotWith({ library, ...props }: PlotProps & { readonly library: Library }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const shape = `${props.kind} ${props.lines.map(({ label, color }) => `${label} ${color}`)}`;

  useEffect(() => {
    const target = place.current;
    if (target === null) return;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    function draw(): void {
      plot.current?.destroy();
      if (target === null) return;
      const drawn = new library(optionsOf(library, latest, target), dataOf(latest.current), target);
      drawn.over.addEventListener('click', () => {
        const { idx } = drawn.cursor;
        if (typeof idx === 'number') latest.current.onPick?.(idx);
      });
      plot.current = drawn;
    }
    draw();
    const resized = new ResizeObserver(() =>
      plot.current?.setSize({ width: target.clientWidth, height: latest.current.height ?? 160 }),
    );
    resized.observe(target);
    dark.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      dark.removeEventListener('change', draw);
      plot.current?.destroy();
    };
  }, [shape]);

  useEffect(() => plot.current?.setData(dataOf(props)), [props.times, props.lines]);
  useEffect(() => plot.current?.redraw(false), [props.marked]);

  return <div role="img" aria-label={props.summary} ref={place} />;
}

function dataOf({ times, lines }: PlotProps): uPlot.AlignedData {
  return [[...times], ...lines.map(({ values }) => [...values])];
}

/** `latest` has the time that is marked when it is drawn. */
function optionsOf(library: Library, latest: { readonly current: PlotProps }, target: HTMLElement): uPlot.Options {
  const { lines, kind = 'line', height = 160, format = String } = latest.current;
  const color = colorsOf(target);
  const ink = color('--ink');
  const axis = { stroke: color('--soft'), font, grid: { stroke: color('--line'), width: 1 }, ticks: { show: false } };
  const bars = library.paths.bars?.({ size: [0.7, 24] });
  return {
    width: target.clientWidth,
    height,
    padding: [8, 8, 0, 0],
    // Plots of the same times are read together.
    cursor: { y: false, points: { size: 5 }, sync: { key: 'times' }, drag: { x: false, y: false } },
    hooks: { draw: [(drawn) => mark(drawn, latest.current.marked, ink)] },
    legend: { show: lines.length > 1 },
    // From zero, so that a plot does not make much of little.
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      { ...axis, size: 28, grid: { show: false }, values: (_, ticks) => ticks.map((seconds) => clock(seconds * 1000)) },
      { ...axis, size: 62, values: (_, ticks) => ticks.map((tick) => (tick === null ? '' : format(tick))) },
    ],
    series: [
      {},
      ...lines.map(({ label, color: name }) => ({
        label,
        stroke: color(name),
        width: kind === 'bars' ? 0 : 1.5,
        points: { show: kind === 'line', size: 4, fill: color(name), filter: loneValues },
        value: (_: uPlot, value: number | null) => (value === null ? '–' : format(value)),
        ...(kind === 'bars' && bars !== undefined ? { fill: color(name), paths: bars } : {}),
      })),
    ],
  };
}

/** Values without neighbours: no line leads to them, so they are drawn as points. */
function loneValues({ data }: uPlot, series: number): number[] {
  const values = data[series] ?? [];
  const isGap = (place: number) => (values[place] ?? null) === null;
  return [...values.keys()].filter((place) => !isGap(place) && isGap(place - 1) && isGap(place + 1));
}

/** A canvas does not know the variables of a style: the browser is asked for the color of an element that has them. */
function colorsOf(target: HTMLElement): (name: string) => string {
  return (name) => {
    target.style.color = `var(${name})`;
    const { color } = getComputedStyle(target);
    target.style.color = '';
    return color;
  };
}

function mark({ ctx, bbox, valToPos }: uPlot, time: number | undefined, color: string): void {
  if (time === undefined) return;
  const left = Math.round(valToPos(time, 'x', true));
  ctx.save();
  ctx.strokeStyle = color;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(left, bbox.top);
  ctx.lineTo(left, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}
