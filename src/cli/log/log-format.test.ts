import { expect, test } from 'bun:test';
import type { Entry, RequestEntry } from '../../http/observe/log-entry.ts';
import { lineOf, textLine } from './log-format.ts';

const time = '2026-01-02T03:04:05.678Z';
const jsonLine = (entry: Entry) => lineOf('json')(entry, time);

const entry: RequestEntry = {
  level: 'info',
  event: 'request',
  request_id: 'r1',
  method: 'GET',
  path: '/api/items',
  status: 200,
  bytes: 39,
  ms: 0.42,
  client: '::1',
};

test('a request as JSON', () => {
  expect(jsonLine(entry)).toBe(
    '{"time":"2026-01-02T03:04:05.678Z","level":"info","event":"request","request_id":"r1","method":"GET","path":"/api/items","status":200,"bytes":39,"ms":0.42,"client":"::1"}\n',
  );
});

test('a request on a terminal', () => {
  expect(Bun.stripANSI(textLine(entry, time))).toBe('03:04:05 200 GET    /api/items 39 B  0.42 ms  r1  ::1\n');
  expect(textLine({ ...entry, status: 404 }, time)).toContain('\u001b[33m404');
  expect(textLine({ ...entry, status: 500 }, time)).toContain('\u001b[31m500');
});

test.each([
  ['a line break', '/a\nb\r'],
  ['a terminal command', '/\u001b[2J\u009b31m'],
  ['a line separator', '/\u2028\u2029'],
  ['a change of text direction', '/\u202egnp.exe'],
  ['an invisible tag', '/\u{e0001}'],
])('%s in a path is shown as an escape', (_, path) => {
  for (const line of [jsonLine({ ...entry, path }), Bun.stripANSI(textLine({ ...entry, path }, time))]) {
    expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    expect(line).toEndWith('\n');
  }
  expect(JSON.parse(jsonLine({ ...entry, path })).path).toBe(path);
});

test('an error is logged with its stack and its cause', () => {
  const error = new Error('the disk\nis full', { cause: new Error('EIO') });
  const failed = { level: 'error', event: 'error', request_id: 'r2', error } as const;
  const logged = JSON.parse(jsonLine(failed));
  for (const part of ['the disk\nis full', 'EIO', 'log-format.test.ts']) expect(logged.error).toContain(part);
  const lines = Bun.stripANSI(textLine(failed, time)).trimEnd().split('\n');
  expect(lines[0]).toBe('03:04:05 error r2');
  for (const line of lines.slice(1)) expect(line).toStartWith('         ');
});
