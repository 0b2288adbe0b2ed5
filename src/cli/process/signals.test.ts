import { expect, test } from 'bun:test';
import { pause, type Stop, signalReader } from './signals.ts';

type Signal = Parameters<ReturnType<typeof signalReader>>[0];

test.each<[string, readonly (readonly [Signal, number])[], readonly (Stop | undefined)[]]>([
  ['SIGTERM drains', [['SIGTERM', 0]], ['drain']],
  ['SIGHUP drains', [['SIGHUP', 0]], ['drain']],
  ['SIGINT does not drain', [['SIGINT', 0]], ['finish']],
  [
    'one key press that arrives three times is one signal',
    [
      ['SIGINT', 0],
      ['SIGINT', 2],
      ['SIGTERM', 499],
    ],
    ['finish', undefined, undefined],
  ],
  [
    'a second signal of any kind stops at once',
    [
      ['SIGTERM', 7],
      ['SIGTERM', 9],
      ['SIGHUP', 507],
      ['SIGINT', 900],
    ],
    ['drain', undefined, 'at once', 'at once'],
  ],
])('%s', (_, signals, expected) => {
  const read = signalReader();
  expect(signals.map(([signal, now]) => read(signal, now))).toEqual([...expected]);
});

test('a pause ends when it is aborted', async () => {
  const aborter = new AbortController();
  const paused = pause(3_600_000, aborter.signal);
  aborter.abort();
  await paused;
  await pause(3_600_000, aborter.signal);
});
