/** What a collector receives of the requests of a server, by the official schema, on each engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import packageJson from '../../package.json' with { type: 'json' };
import { readSettings } from '../../src/telemetry/settings.ts';
import { Receiver, type Span } from '../support/otlp/receiver.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const traceOf = (digit: string) => digit.repeat(32);
const parent = 'b'.repeat(16);
const sent = (digit: string, flags = '01') => ({ traceparent: `00-${traceOf(digit)}-${parent}-${flags}` });

describe.each(migratedEngines())('%s', (name, newUrl) => {
  const receiver = new Receiver();
  const database = name === 'postgres' ? 'postgresql' : 'sqlite';
  let server: TestServer;
  let changes: readonly { readonly seq: number; readonly trace_id?: string }[];
  const statuses: number[] = [];
  const logged: Readonly<Record<string, unknown>>[] = [];

  async function ask(method: string, path: string, headers: Record<string, string> = {}, body?: string) {
    const response = await fetch(server.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
    statuses.push(response.status);
    return { text: await response.text(), headers: response.headers };
  }

  beforeAll(async () => {
    server = await startServer({
      database: await newUrl(),
      telemetry: readSettings({
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=one%20two',
        OTEL_SERVICE_NAME: 'shop',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=ignored',
        OTEL_TRACES_SAMPLER: 'parentbased_always_off',
      }),
      log: { slow: 60_000 },
      logTo: (entry) => logged.push(entry as never),
    });
    const item = '{"name":"a","price":1}';
    await ask('POST', '/api/items', sent('1'), '{"id":7,"name":"a","price":1}');
    await ask('POST', '/api/items', { ...sent('2'), tracestate: 'vendor=x' }, '{"id":8,"name":"a","price":1}');
    await ask('POST', '/api/v2/items', sent('3', '00'), item);
    await ask('POST', '/api/v2/items', {}, item);
    const merge = { 'Content-Type': 'application/merge-patch+json' };
    await ask('PATCH', '/api/v2/items/2', { ...sent('4'), ...merge }, '{"price":2}');
    const operations =
      '{"operations":[{"op":"create","collection":"items","record":{"name":"t","price":1}},{"op":"delete","collection":"items","id":3}]}';
    await ask('POST', '/api/v2/transactions', sent('5'), operations);
    await ask('DELETE', '/api/v2/items/2', sent('6'));
    await ask('POST', '/api/v2/items', { ...sent('7'), 'Content-Type': 'application/x-ndjson' }, `${item}\n${item}`);
    await ask('GET', '/api/v2/items/1?expand=&secret=hunter2', sent('8'));
    await ask('GET', '/api/v2/items?name[contains]=hunter2&sort=price', sent('9'));
    await ask('GET', '/nothing', sent('a'));
    for (const traceparent of ['00-zz', `00-${'0'.repeat(32)}-${parent}-01`, `ff-${traceOf('c')}-${parent}-01`])
      await ask('GET', '/api/v2/items/1', { traceparent });
    changes = JSON.parse((await ask('GET', '/api/v2/changes')).text).data;
    await server.stop();
  });
  afterAll(() => receiver.stop());

  const serverSpan = (digit: string) =>
    receiver.spans.find(({ traceId, kind }) => traceId === traceOf(digit) && kind === 2) as Span;
  const stagesOf = (digit: string) =>
    receiver.spans.filter(({ parentSpanId }) => parentSpanId === serverSpan(digit).spanId);

  test('every request was one of the schema, with the headers and the resource of the variables', () => {
    expect(receiver.faults).toEqual([]);
    expect(statuses).toEqual([201, 201, 201, 201, 200, 200, 204, 201, 400, 200, 404, 200, 200, 200, 200]);
    for (const { headers } of receiver.requests) expect(headers.get('x-tenant')).toBe('one two');
    expect(receiver.resource).toMatchObject({
      'service.name': 'shop',
      'deployment.environment.name': 'test',
      'service.version': packageJson.version,
      'telemetry.sdk.name': 'shelf',
      'telemetry.sdk.language': 'nodejs',
      'telemetry.sdk.version': packageJson.version,
    });
    expect(receiver.resource['service.instance.id']).toMatch(/^[\da-f-]{36}$/);
  });

  test('a server span continues the trace of its caller', () => {
    const span = serverSpan('2');
    expect(span).toMatchObject({ name: 'POST /api/items', parentSpanId: parent, traceState: 'vendor=x', flags: 0x301 });
    expect(span.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/api/items',
      'url.path': '/api/items',
      'url.scheme': 'http',
      'http.response.status_code': '201',
      'server.address': '127.0.0.1',
      'server.port': new URL(server.url).port,
      'client.address': '127.0.0.1',
      'network.protocol.version': '1.1',
    });
    expect(Number(span.endTimeUnixNano)).toBeGreaterThanOrEqual(Number(span.startTimeUnixNano));
    expect(Math.abs(Number(span.startTimeUnixNano) / 1e6 - Date.now())).toBeLessThan(600_000);
  });

  test('a write has the stages queue and commit, and database where that is another server', () => {
    const expected = name === 'postgres' ? ['queue', 'database', 'commit'] : ['queue', 'commit'];
    for (const digit of ['1', '4', '5', '6', '7']) {
      const stages = stagesOf(digit);
      expect(stages.map((stage) => stage.name).sort()).toEqual(digit === '7' ? ['commit', 'queue'] : expected.sort());
      for (const { traceId, startTimeUnixNano, endTimeUnixNano } of stages) {
        expect(traceId).toBe(traceOf(digit));
        expect(Number(startTimeUnixNano)).toBeGreaterThanOrEqual(Number(serverSpan(digit).startTimeUnixNano));
        expect(Number(endTimeUnixNano)).toBeLessThanOrEqual(Number(serverSpan(digit).endTimeUnixNano));
      }
    }
  });

  test('a commit is one of the database, and of a client if that is another server', () => {
    const { kind, attributes } = stagesOf('1').find((stage) => stage.name === 'commit') ?? {};
    expect({ kind, attributes }).toEqual({
      kind: name === 'postgres' ? 3 : 1,
      attributes: { 'db.system.name': database, 'db.operation.name': 'COMMIT' },
    });
  });

  test('a read of the database has a stage', () => {
    const [stage] = stagesOf('9');
    expect(stage?.name).toBe('database');
    expect(stage).toMatchObject({ kind: name === 'postgres' ? 3 : 1, attributes: { 'db.system.name': database } });
  });

  test('a failure of the client is no error, and an unknown path has no route', () => {
    expect(serverSpan('a')).toMatchObject({ name: 'GET', attributes: { 'http.response.status_code': '404' } });
    expect(serverSpan('a').attributes).not.toContainKeys(['http.route', 'error.type']);
    expect(serverSpan('a').status).toBeUndefined();
  });

  test('traces that are not sampled, or not valid, have no span', () => {
    const traces = new Set(receiver.spans.map(({ traceId }) => traceId));
    expect([...traces].sort()).toEqual(['1', '2', '4', '5', '6', '7', '8', '9', 'a'].map(traceOf));
  });

  test('a change has the trace of its request, and others have no such member', () => {
    const traces = changes.map(({ trace_id }) => trace_id?.[0] ?? '-');
    expect(traces.filter((one) => one !== '-')).toEqual(['1', '2', '3', '4', '5', '5', '6', '7', '7']);
    expect(changes.filter((change) => 'trace_id' in change && change.trace_id === undefined)).toEqual([]);
  });

  test('no query, no value and no body is sent', () => {
    expect(JSON.stringify([receiver.spans, receiver.logs])).not.toContain('hunter2');
  });

  test('the metrics of requests and commits', () => {
    const durations = receiver.metrics.find((metric) => metric.name === 'http.server.request.duration');
    expect(durations?.unit).toBe('s');
    const created = durations?.points.find(
      ({ attributes }) => (attributes as Record<string, string>)['http.route'] === '/api/items',
    );
    expect(created).toMatchObject({
      count: '2',
      explicitBounds: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
      attributes: { 'http.request.method': 'POST', 'url.scheme': 'http', 'http.response.status_code': '201' },
    });
    const buckets = (created?.bucketCounts ?? []) as string[];
    expect(buckets.length).toBe(15);
    expect(buckets.reduce((sum, one) => sum + Number(one), 0)).toBe(2);
    const active = receiver.metrics.find((metric) => metric.name === 'http.server.active_requests');
    expect(active?.points.map(({ asInt }) => asInt)).toEqual(active?.points.map(() => '0') ?? []);
    const commits = receiver.metrics.find((metric) => metric.name === 'db.client.operation.duration');
    expect(commits?.points).toMatchObject([
      { attributes: { 'db.system.name': database, 'db.operation.name': 'COMMIT' } },
    ]);
  });

  test('the log entries of recorded traces have their trace and span', () => {
    const record = receiver.logs.find(({ traceId }) => traceId === traceOf('1'));
    expect(record).toMatchObject({
      body: 'POST /api/items 201',
      severityNumber: 9,
      eventName: 'shelf.request',
      spanId: serverSpan('1').spanId,
      attributes: { 'http.route': '/api/items', 'http.response.status_code': '201', 'url.path': '/api/items' },
    });
    expect(
      receiver.logs.filter(({ eventName, spanId }) => eventName === 'shelf.request' && spanId === undefined),
    ).toEqual([]);
  });
});
