import { expect, test } from 'bun:test';
import type { Sample } from '../measure/load.ts';
import { works } from '../measure/work.ts';
import { processorTimes } from './threads.ts';

const sample = (perSecond: number, cpu: number): Sample => ({ perSecond, cpu, p50: 1, p99: 1, errors: 0, rssMb: 1 });
const [get, post] = works;
if (get === undefined || post === undefined) throw new Error('there is no work');

test('processor time per request is that of the median round, beside that of one thread', () => {
  const claims = processorTimes(
    [
      { work: get, peer: 'shelf', samples: [sample(1000, 0.01), sample(1000, 0.02), sample(1000, 0.09)] },
      { work: get, peer: 'shelf 2 threads', samples: [sample(2000, 0.042)] },
      { work: post, peer: 'shelf', samples: [sample(1000, 0.02)] },
      { work: post, peer: 'shelf 2 threads', samples: [sample(1000, 0.0224)] },
      { work: post, peer: 'elysia', samples: [sample(1000, 0.5)] },
    ],
    2,
  );
  expect(claims).toEqual([
    {
      title: 'get: processor time per request, 2 threads and one: 21.0 and 20.0 µs',
      value: '1.05x',
      must: '<= 1.1x',
      holds: true,
    },
    {
      title: 'post: processor time per request, 2 threads and one: 22.4 and 20.0 µs',
      value: '1.12x',
      must: '<= 1.1x',
      holds: false,
    },
  ]);
});

test('without one thread there is nothing to compare with', () => {
  expect(processorTimes([{ work: get, peer: 'shelf 2 threads', samples: [sample(1, 1)] }], 2)).toEqual([]);
});
