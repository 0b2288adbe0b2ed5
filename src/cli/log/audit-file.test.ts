import { afterEach, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, renameSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/data/folder.ts';
import type { AuditEntry } from '../../http/observe/audit.ts';
import type { Entry } from '../../http/observe/log-entry.ts';
import { AuditFile, auditLine, auditTo, restOf } from './audit-file.ts';

const entry: AuditEntry = {
  caller: 'ci',
  role: null,
  route: 'GET /api/v2/items',
  record: null,
  outcome: 'forbidden',
  request_id: 'r1',
};
const closing: AuditFile[] = [];
afterEach(async () => {
  for (const file of closing.splice(0)) await file.close();
});

function opened() {
  const path = join(temporaryFolder(), 'audit.log');
  const log: Entry[] = [];
  const file = new AuditFile(path, (one) => log.push(one));
  closing.push(file);
  return { path, log, file, audit: auditTo(file.lines) };
}
const linesIn = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('a line has the time and the entry; the file is for its owner alone', async () => {
  const { path, file, audit } = opened();
  audit(entry);
  await file.lines.written();
  const [line, ...more] = linesIn(path);
  expect(more).toEqual([]);
  expect(Object.keys(line)).toEqual(['time', 'caller', 'role', 'route', 'record', 'outcome', 'request_id']);
  expect(line).toMatchObject(entry);
  expect(Math.abs(Date.parse(line.time) - Date.now())).toBeLessThan(60_000);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.each(['a\nb', '"}\n{"outcome":"created', '\u2028', '\u001b[2J', '\u202e', '\r', '\0', '\\'])(
  'text of a client, such as %j, is one string of one line',
  (text) => {
    const line = auditLine({ ...entry, record: text, caller: text, request_id: text }, 'now');
    expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    expect(JSON.parse(line)).toMatchObject({ record: text, caller: text, outcome: 'forbidden' });
  },
);

test('lines after a rotation are in a new file', async () => {
  const { path, file, audit } = opened();
  audit({ ...entry, request_id: 'before' });
  await file.lines.written();
  renameSync(path, `${path}.1`);
  audit({ ...entry, request_id: 'after' });
  await file.lines.written();
  expect([`${path}.1`, path].map((name) => linesIn(name).map(({ request_id }) => request_id))).toEqual([
    ['before'],
    ['after'],
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a file that cannot be written is reported once; its lines wait, and are written when it can be', async () => {
  const { path, log, file, audit } = opened();
  mkdirSync(path);
  for (let n = 0; n < 3; n++) {
    audit({ ...entry, request_id: String(n) });
    while (log.length === 0) await Bun.sleep(1);
  }
  rmdirSync(path);
  await file.lines.written();
  await file.lines.flush();
  expect(linesIn(path).map(({ request_id }) => request_id)).toEqual(['0', '1', '2']);
  expect(log).toMatchObject([
    { level: 'error', event: 'audit', message: expect.stringContaining(`--audit ${path} cannot be written (`) },
    { level: 'info', event: 'audit', message: expect.stringContaining('is written again') },
  ]);
});

test('a disk that is stuck costs bounded memory, and the file says how many lines are missing', async () => {
  const { path, log, file, audit } = opened();
  mkdirSync(path);
  audit(entry);
  while (log.length === 0) await Bun.sleep(1);
  const long = { ...entry, record: 'x'.repeat(1000) };
  for (let n = 0; n < 20_000; n++) audit(long);
  rmdirSync(path);
  await file.lines.written();
  await file.lines.flush();
  const lines = linesIn(path);
  expect(lines.length).toBeLessThan(9000);
  expect(lines.at(-1)).toMatchObject({ outcome: 'lines dropped', count: 20_000 - (lines.length - 2) });
});

test('every attempt but the first fails in silence, and a file that is closed waits for its last lines', async () => {
  const log: Entry[] = [];
  let attempts = 0;
  let written = '';
  const append = async (_: string, bytes: Uint8Array) => {
    if (++attempts < 4) throw new Error('EIO');
    await Bun.sleep(20);
    written += Buffer.from(bytes);
    return bytes.length;
  };
  const file = new AuditFile('/nowhere', (one) => log.push(one), { append, retryMs: 1 });
  auditTo(file.lines)(entry);
  await file.close();
  expect(written).toEndWith('"request_id":"r1"}\n');
  expect(log.map(({ level }) => level)).toEqual(['error', 'info']);
});

test.each([
  ['nothing', 0, 'ab\ncd\n'],
  ['a part of the first line', 1, '\nab\ncd\n'],
  ['the first line', 3, 'cd\n'],
  ['a part of the second line', 4, '\ncd\n'],
  ['everything', 6, ''],
])('after %s was written, the rest begins with a whole line', (_, written, rest) => {
  expect(Buffer.from(restOf(Buffer.from('ab\ncd\n'), written)).toString()).toBe(rest);
});
