/** Requests that are rare, by the semantic conventions for HTTP: other methods, HTTP/1.0 and failures of the server. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { readSettings } from '../../src/telemetry/settings.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { Receiver } from '../support/otlp/receiver.ts';
import { openRaw } from '../support/servers/network/socket.ts';
import { startServer } from '../support/servers/server.ts';

const receiver = new Receiver();
const statuses: string[] = [];

beforeAll(async () => {
  const path = join(temporaryFolder(), 'shelf.db');
  const server = await startServer({
    database: `sqlite:${path}`,
    storage: { cache: 0 },
    telemetry: readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }),
  });
  const host = new URL(server.url).host;
  const ask = async (line: string, rest = '\r\n') => {
    const head = `${line}\r\nHost: ${host}\r\nConnection: close\r\n`;
    statuses.push((await openRaw(server.url, `${head}${rest}`).closed).slice(9, 12));
  };
  await ask('BREW /api/items HTTP/1.1');
  await ask('TRACE /api/items HTTP/1.1');
  await ask('GET /api/items HTTP/1.0');
  await ask('GET /api/items HTTP/1.1');
  await ask('GET /not HTTP/1.1', ' x\r\n\r\n');
  // Another program damages the database.
  const db = new Database(path);
  db.run('drop table users');
  db.close();
  await ask('GET /api/users HTTP/1.1');
  const body = '{"id":1,"name":"a"}';
  await ask('POST /api/users HTTP/1.1', `Content-Length: ${body.length}\r\n\r\n${body}`);
  await server.stop();
});
afterAll(() => receiver.stop());

const names = ['BREW', 'TRACE', '1.0', '1.1', 'GET 500', 'POST 500'] as const;
const served = () => receiver.spans.filter(({ kind }) => kind === 2);
const spanOf = (name: (typeof names)[number]) => served()[names.indexOf(name)];
const durations = () => receiver.metrics.find(({ name }) => name === 'http.server.request.duration')?.points ?? [];
const hasDuration = (attributes: object) =>
  durations().some((point) => Bun.deepEquals(point.attributes, { 'url.scheme': 'http', ...attributes }));

test('each request has a span, and input that is no request has none', () => {
  expect(statuses).toEqual(['405', '405', '200', '200', '400', '500', '500']);
  expect(receiver.faults).toEqual([]);
  expect(served().length).toBe(names.length);
});

test('an unknown method is _OTHER, and its span is called HTTP', () => {
  const brewed = { 'http.request.method': '_OTHER', 'http.request.method_original': 'BREW' };
  expect(spanOf('BREW')).toMatchObject({ name: 'HTTP', attributes: brewed });
  expect(spanOf('TRACE')).toMatchObject({ name: 'TRACE', attributes: { 'http.request.method': 'TRACE' } });
  expect(spanOf('TRACE')?.attributes).not.toContainKey('http.request.method_original');
  const refused = { 'http.response.status_code': '405', 'network.protocol.version': '1.1' };
  expect(hasDuration({ 'http.request.method': '_OTHER', ...refused })).toBe(true);
  expect(hasDuration({ 'http.request.method': 'TRACE', ...refused })).toBe(true);
  // Input that is no request.
  expect(hasDuration({ 'http.request.method': '_OTHER', 'http.response.status_code': '400' })).toBe(true);
});

test.each(['1.0', '1.1'] as const)('HTTP/%s is named in spans and metrics', (version) => {
  const { attributes } = spanOf(version) ?? {};
  expect(attributes).toMatchObject({ 'network.protocol.version': version, 'http.route': '/api/items' });
  const ok = { 'http.request.method': 'GET', 'http.route': '/api/items', 'http.response.status_code': '200' };
  expect(hasDuration({ ...ok, 'network.protocol.version': version })).toBe(true);
});

test.each(['GET', 'POST'] as const)('a failure of the server has its kind in the span and the metric: %s', (method) => {
  const span = spanOf(`${method} 500`);
  expect(span).toMatchObject({
    name: `${method} /api/users`,
    status: { code: 2 },
    attributes: { 'error.type': 'internal' },
  });
  const failed = { 'http.route': '/api/users', 'http.response.status_code': '500', 'error.type': 'internal' };
  expect(hasDuration({ 'http.request.method': method, 'network.protocol.version': '1.1', ...failed })).toBe(true);
});

test('a commit that failed says so', () => {
  const attributes = { 'db.system.name': 'sqlite', 'db.operation.name': 'COMMIT', 'error.type': 'commit_failed' };
  const stages = receiver.spans.filter(({ parentSpanId }) => parentSpanId === spanOf('POST 500')?.spanId);
  expect(stages.find(({ name }) => name === 'commit')).toMatchObject({ kind: 1, status: { code: 2 }, attributes });
  expect(stages.find(({ name }) => name === 'queue')).toMatchObject({ kind: 1, attributes: {} });
  const commits = receiver.metrics.find(({ name }) => name === 'db.client.operation.duration');
  expect(commits?.points.map((point) => point.attributes)).toEqual([attributes]);
});
