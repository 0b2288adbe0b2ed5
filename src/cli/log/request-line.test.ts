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
  method: fc.oneof({ weight: 4, arbitrary: fc.constantFrom('GET', 'POST', 'DELETE') }, fc.constant(''), anyText),
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

test('a line is that of a whole object, whatever the lines before it were, or is left to it', () => {
  const writeLine = requestLines();
  let written = 0;
  fc.assert(
    fc.property(entries, times, fc.nat(100), (entry, time, start) => {
      const line = plainLine(entry, time);
      const into = Buffer.alloc(start + Buffer.byteLength(line) + 500, '!');
      const end = writeLine(entry, time, into, start);
      expect(into.toString('latin1', 0, start)).toBe('!'.repeat(start));
      if (end < 0) return;
      written++;
      expect(into.toString('latin1', start, end)).toBe(line);
    }),
    { numRuns: 5000 },
  );
  expect(written).toBeGreaterThan(100);
});

const usual: RequestEntry = {
  level: 'info',
  event: 'request',
  request_id: 'r1',
  method: 'GET',
  path: '/api/items/1',
  status: 200,
  bytes: 39,
  ms: 0.42,
  client: '::1',
};

test.each<[string, Partial<RequestEntry>]>([
  ['usual', {}],
  ['with a key', { key: 'ci' }],
  ['with a certificate and a trace', { certificate: 'CN=ci', trace_id: '0af7651916cd43dd8448eb211c80319c' }],
  ['of whole milliseconds', { ms: 12 }],
  ['of tenths', { ms: 1.1 }],
  ['of a microsecond', { ms: 0.001 }],
  ['of no time', { ms: 0 }],
  ['of many bytes', { bytes: Number.MAX_SAFE_INTEGER }],
])('a line %s is written', (_, members) => {
  const entry = { ...usual, ...members };
  const into = Buffer.alloc(1000);
  expect(into.toString('latin1', 0, requestLines()(entry, 'now', into, 0))).toBe(plainLine(entry, 'now'));
});

test.each<[string, Partial<RequestEntry>]>([
  ['is a warning', { level: 'warn' }],
  ['has a quote in its path', { path: '/"' }],
  ['has a control character in its method', { method: '\u001b' }],
  ['has a key that is not ASCII', { key: 'é' }],
  ['has a backslash in its certificate', { certificate: 'CN=\\' }],
  ['is too long for the room', { path: `/${'x'.repeat(1000)}` }],
])('a line that %s is left to others', (_, members) => {
  expect(requestLines()({ ...usual, ...members }, 'now', Buffer.alloc(1000), 0)).toBe(-1);
});

test('every bound of the room is held', () => {
  const line = plainLine(usual, 'now');
  for (let size = 0; size < 1000; size++) {
    const end = requestLines()(usual, 'now', Buffer.alloc(size), 0);
    expect(end < 0 || end === line.length).toBe(true);
    if (end >= 0) expect(end).toBeLessThanOrEqual(size);
  }
});
