import { expect, test } from 'bun:test';
import type { Figures, Sample } from '../../api/figures.ts';
import { failureLines, line, seriesOf } from './series.ts';

const start = Date.parse('2026-11-15T10:00:00.000Z');
const sample = (place: number, errors: Record<string, number> = {}) =>
  ({ at: new Date(start + place * 10_000).toISOString(), errors, requests: place * 10 }) as unknown as Sample;
const figures = (...samples: Sample[]): Figures => ({ since: '', sample_seconds: 10, samples });

test('a server that has just started has an hour of plot, too', () => {
  const series = seriesOf(figures(sample(1), sample(2)));
  const last = start / 1000 + 20;
  expect(series.times).toEqual([last - 3600, last - 10, last]);
  expect(line(series, 'Requests', '--accent', ({ requests }) => requests / 10).values).toEqual([null, 1, 2]);
  expect(seriesOf(figures(sample(0), sample(360))).times.length).toBe(2);
  expect(seriesOf(figures()).samples).toEqual([undefined]);
});

test('failures by code, the most frequent first, the rest together', () => {
  const series = seriesOf(figures(sample(0, { a: 1, b: 5 }), sample(360, { b: 1, c: 2, d: 2, e: 1, f: 1, g: 3 })));
  const lines = failureLines(series);
  expect(lines.map(({ label }) => label)).toEqual(['b', 'g', 'c', 'd', 'others']);
  expect(lines.map(({ values }) => values)).toEqual([
    [5, 1],
    [0, 3],
    [0, 2],
    [0, 2],
    [1, 2],
  ]);
});
