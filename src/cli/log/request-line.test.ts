import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { RequestEntry } from '../../http/observe/log-entry.ts';
import { requestLines } from './request-line.ts';

/** The same line, made of a whole object. */
function plainLine({ level, event, ...rest }: RequestEntry, time: string): string {
  const text = JSON.stringify({ time, level, event, ...rest });
  const escaped = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  );
  return `${escaped}\n`;
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('a', ' ', '"', '\\', '~', '\u007f', '\u0085', '\u00ad', '\u202e', '\ud800', '\n'),
  }),
  fc.stringMatching(/^[!-~]{0,40}$/),
);
const milliseconds = fc.oneof(fc.nat(2000), fc.nat(20_000_000)).map((micros) => micros / 1000);
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 });

const entries: fc.Arbitrary<RequestEntry> = fc.record({
  level: fc.constantFrom('info', 'info', 'info', 'warn', 'error'),
  event: fc.constant('request'),
  // As the observer accepts it.
  request_id: fc.stringMatching(/^[\w.:/+=@-]{1,128}$/),
  method: fc.oneof(fc.constantFrom('GET', 'POST', ''), anyText),
  path: fc.oneof(fc.constantFrom('/api/items/1', ''), fc.webPath(), anyText),
  status: fc.oneof(fc.constantFrom(200, 404), fc.integer({ min: 100, max: 599 })),
  bytes: fc.oneof(fc.nat(100), fc.maxSafeNat()),
  ms: milliseconds,
  client: fc.oneof(fc.constant('127.0.0.1'), fc.ipV4(), fc.ipV6()),
  key: maybe(anyText),
  certificate: maybe(anyText),
  trace_id: maybe(fc.stringMatching(/^[\da-f]{32}$/)),
  slow: fc.option(
    fc.record({
      body_ms: milliseconds,
      work_ms: milliseconds,
      under_way: fc.nat(),
      parameters: fc.array(anyText, { maxLength: 3 }),
    }),
    { nil: undefined, freq: 5 },
  ),
});
const times = fc.date({ noInvalidDate: true }).map((date) => date.toISOString());

test('a line is that of a whole object, whatever the lines before it were', () => {
  const requestLine = requestLines();
  fc.assert(
    fc.property(entries, times, (entry, time) => {
      const line = plainLine(entry, time);
      expect(requestLine(entry, time)).toBe(line);
      expect(requestLine(entry, time)).toBe(line);
    }),
    { numRuns: 5000 },
  );
});
