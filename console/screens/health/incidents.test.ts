import { describe, expect, test } from 'bun:test';
import { failures } from '../../../src/domain/errors.ts';
import type { Figures, Sample } from '../../api/figures.ts';
import { clock } from '../../parts/values/amount.ts';
import { areEnough, incidentsIn, serverFailures } from './incidents.ts';

const start = Date.parse('2026-11-15T10:00:00.000Z');
const slowest = {
  route: '/api/v2/books',
  method: 'GET',
  status: 200,
  ms: 1240,
  request_id: 'r-1',
  parameters: ['title[contains]', 'sort'],
};
const which = 'the slowest was GET /api/v2/books with title[contains], sort, 1,240 ms.';

/** The place is in samples of ten seconds. */
function sample(place: number, more: Partial<Sample> = {}): Sample {
  return {
    at: new Date(start + place * 10_000).toISOString(),
    requests: 400,
    p50_ms: 1,
    p99_ms: 3,
    slowest: { ...slowest, parameters: [], ms: 4, request_id: `r-${place}` },
    commits: 1,
    writes: 1,
    commit_ms: 1,
    errors: {},
    memory_bytes: 1e8,
    connections: 1,
    listeners: 0,
    writes_waiting: 0,
    ...more,
  };
}
const figures = (...samples: Sample[]): Figures => ({ since: '', sample_seconds: 10, samples });
const at = (place: number) => clock(start + place * 10_000);
const texts = (...samples: Sample[]) => incidentsIn(figures(...samples)).map(({ text }) => text);

describe('answers', () => {
  test('that were slow at one moment', () => {
    const slow = sample(2, { requests: 400, p99_ms: 1200, slowest });
    expect(incidentsIn(figures(sample(1), slow, sample(3)))).toEqual([
      { text: `Answers were slow at ${at(2)}: 1 of 100 took about 1,200 ms or more, ${which}`, at: slow.at },
    ]);
  });

  test('that were slow for minutes are one sentence, about the worst moment', () => {
    const slow = Array.from({ length: 30 }, (_, place) => sample(place, { p99_ms: place === 12 ? 900 : 200, slowest }));
    expect(texts(...slow)).toEqual([
      `Answers were slow from ${at(0)} to ${at(29)}, most at ${at(12)}: 1 of 100 took about 900 ms or more, ${which}`,
    ]);
  });

  test('of which half were slow do not sound mild', () => {
    const slow = sample(2, { requests: 400, p50_ms: 990, p99_ms: 1200, slowest });
    expect(texts(slow)).toEqual([
      `Answers were slow at ${at(2)}: half of the answers took about 990 ms or more, ${which}`,
    ]);
    expect(texts({ ...slow, p50_ms: 100 })[0]).toContain(': 1 of 100 took about 1,200 ms or more');
  });

  test('of two times apart are two sentences, the worse first', () => {
    const [early, late] = [sample(0, { p99_ms: 150, slowest }), sample(20, { p99_ms: 700, slowest })];
    expect(incidentsIn(figures(early, sample(10), late)).map((one) => one.at)).toEqual([late.at, early.at]);
  });

  test('that are few may be slow by chance, unless half of them were slow', () => {
    const slow = { p99_ms: 1200, slowest };
    expect(texts(sample(0, { ...slow, requests: 99 }))).toEqual([]);
    expect(texts(sample(0, { ...slow, requests: 19, p50_ms: 900 }))).toEqual([]);
    expect(texts(sample(0, { ...slow, requests: 20, p50_ms: 900 }))).toHaveLength(1);
    expect(areEnough(figures(sample(0, { requests: 60 }), sample(1, { requests: 39 })))).toBe(false);
    expect(areEnough(figures(sample(0, { requests: 60 }), sample(1, { requests: 40 })))).toBe(true);
  });

  test('within 100 ms are no incident', () => {
    expect(texts(sample(0, { p99_ms: 100 }), sample(1, { p99_ms: null, slowest: null }))).toEqual([]);
  });
});

test('failures of the server are, those of clients are not', () => {
  const failed = [sample(1, { errors: { timed_out: 2, not_found: 99 } }), sample(9, { errors: { timed_out: 5 } })];
  expect(texts(...failed)).toEqual([`7 requests failed with timed_out from ${at(1)} to ${at(9)}, most at ${at(9)}.`]);
});

test('slow commits and waiting writes', () => {
  const [commit, waiting] = texts(sample(1, { commit_ms: 2500 }), sample(20, { writes_waiting: 1001 }));
  expect(commit).toStartWith(`A commit took 2,500 ms at ${at(1)}`);
  expect(waiting).toBe(`1,001 writes waited for a commit at ${at(20)}.`);
});

test('the failures of the server are those with a status from 500 that no client causes', () => {
  const ofServer = Object.entries(failures).filter(
    ([code, { status }]) => status >= 500 && !code.startsWith('unsupported'),
  );
  expect(ofServer.map(([code]) => code).sort()).toEqual([...serverFailures].sort());
});
