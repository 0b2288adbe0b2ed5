/** GET /api/v2/figures: how the service did in the last hour. */
import Type from 'typebox';
import { failures } from '../../domain/errors.ts';
import type { Soon } from '../../domain/soon.ts';
import { type HourFigures, type Sample, sampleMs } from '../observe/last-hour.ts';
import { jsonContent } from '../route/operation.ts';
import { privateJson } from '../route/reply.ts';
import type { Route } from '../route/route.ts';
import { int64, time } from '../route/schemas.ts';

const count = (description: string) => int64({ minimum: 0, description });
const milliseconds = (description: string) =>
  Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
    description: `${description}, in milliseconds; null without requests.`,
  });

const sampleSchema = Type.Object({
  at: time(),
  requests: count('Requests answered.'),
  p50_ms: milliseconds('The median time to an answer'),
  p99_ms: milliseconds('99 of 100 answers took no longer'),
  slowest: Type.Union(
    [
      Type.Object({
        route: Type.String(),
        method: Type.String(),
        status: int64({ minimum: 100 }),
        ms: Type.Number({ minimum: 0 }),
        request_id: Type.String({ description: 'Finds the request in the log.' }),
        parameters: Type.Array(Type.String(), {
          description: 'The names of its query parameters, without their values.',
        }),
      }),
      Type.Null(),
    ],
    { description: 'The slowest request; null without requests.' },
  ),
  commits: count('Commits.'),
  writes: count('Writes in these commits; a bulk is one.'),
  commit_ms: Type.Number({ minimum: 0, description: 'The longest commit, in milliseconds.' }),
  errors: Type.Record(Type.String(), int64({ minimum: 1 }), {
    description: 'Failures by their code.',
    examples: [{ [Object.keys(failures)[0] ?? '']: 1 }],
  }),
  memory_bytes: count('Memory in use.'),
  connections: count('Connections open.'),
  listeners: count('Listeners to the live feed.'),
  writes_waiting: count('Writes that wait for a commit.'),
});
const figuresSchema = Type.Object({
  since: Type.String({
    format: 'date-time',
    description: 'When this process started: there are no figures from before.',
  }),
  sample_seconds: int64({ minimum: 1 }),
  samples: Type.Array(sampleSchema, { description: 'Of the last hour, the oldest first.' }),
});

export function figuresRoute(read: () => Soon<HourFigures>): Route {
  const example: Sample = {
    at: '2026-01-01T00:00:10.000Z',
    requests: 1200,
    p50_ms: 0.4,
    p99_ms: 3.1,
    slowest: {
      route: '/api/v2/items',
      method: 'GET',
      status: 200,
      ms: 41.5,
      request_id: '060e9a4a-8c1d-1',
      parameters: ['name[contains]', 'sort'],
    },
    commits: 90,
    writes: 400,
    commit_ms: 2.5,
    errors: { not_found: 3 },
    memory_bytes: 90_000_000,
    connections: 12,
    listeners: 1,
    writes_waiting: 0,
  };
  return {
    method: 'GET',
    sight: 'scope only',
    path: '/api/v2/figures',
    access: 'admin',
    operation: {
      id: 'getFiguresV2',
      tag: 'service',
      summary: 'Figures of the last hour: requests, latencies, commits, failures, memory, connections',
      description: 'Of the process that answers: with --workers, each has its own.',
      problems: true,
      answers: [
        {
          status: 200,
          description: 'One sample for each ten seconds since the process started, of the last hour.',
          content: jsonContent(figuresSchema, {
            since: '2026-01-01T00:00:00.000Z',
            sample_seconds: sampleMs / 1000,
            samples: [example],
          }),
        },
      ],
      failures: ['overloaded'],
    },
    handle: async () => {
      const { since, samples } = await read();
      const body = { since, sample_seconds: sampleMs / 1000, samples };
      return privateJson(200, body);
    },
  };
}
