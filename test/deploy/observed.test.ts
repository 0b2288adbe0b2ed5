/** Metrics, the log, and the headers of every answer. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/data/folder.ts';
import { quickEngines } from '../support/servers/engines.ts';
import { Listening } from '../support/servers/network/listening.ts';
import { TlsFolder } from '../support/servers/network/tls.ts';
import { root } from '../support/servers/process.ts';
import { oneThread, startServer } from '../support/servers/server.ts';
import { ServerLog } from '../support/servers/server-log.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Samples by name and labels; throws on a line that Prometheus would not parse. */
function parse(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  const typed = new Map<string, string>();
  for (const line of text.trimEnd().split('\n')) {
    const type = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/.exec(line);
    if (type !== null) typed.set(type[1] ?? '', type[2] ?? '');
    if (line.startsWith('#')) continue;
    const match = /^([a-z_]+)(\{(?:[a-z]+="(?:[^"\\\n]|\\.)*",?)*\})? (-?[\d.e+-]+)$/.exec(line);
    if (match === null) throw new Error(`not a sample: ${line}`);
    const [, name = '', labels = '', value] = match;
    const family = name.replace(/_(bucket|sum|count)$/, '');
    if (!typed.has(name) && !typed.has(family)) throw new Error(`no type for ${name}`);
    samples.set(name + labels, Number(value));
  }
  return samples;
}

test.each(quickEngines)('%s: /metrics counts requests, commits, records and listeners', async (_, newUrl) => {
  const server = await startServer({ database: await newUrl(), log: { metrics: true } });
  for (let n = 0; n < 3; n++) await fetch(`${server.url}/api/items/1`);
  await fetch(`${server.url}/api/items/404`);
  await fetch(`${server.url}/nowhere/"x`);
  await fetch(`${server.url}/api/items`, { method: 'BREW' }).catch(() => {});
  await fetch(`${server.url}/api/items`, { method: 'POST', body: '{"id":2,"name":"x","price":1}' });
  const listening = await Listening.to(`${server.url}/api/v2/events`);

  const answer = await fetch(`${server.url}/metrics`);
  expect(answer.headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const samples = parse(await answer.text());
  const value = (name: string) => samples.get(name);
  expect(value('shelf_http_requests_total{route="/api/items/{item_id}",method="GET",status="200"}')).toBe(3);
  expect(value('shelf_http_requests_total{route="/api/items/{item_id}",method="GET",status="404"}')).toBe(1);
  expect(value('shelf_http_requests_total{route="",method="GET",status="404"}')).toBe(1);
  expect(value('shelf_http_requests_total{route="/api/items",method="POST",status="201"}')).toBe(1);
  expect(value('shelf_http_request_duration_seconds_count{route="/api/items/{item_id}"}')).toBe(4);
  expect(value('shelf_http_request_duration_seconds_bucket{route="/api/items/{item_id}",le="+Inf"}')).toBe(4);
  expect(value('shelf_commit_writes_sum')).toBe(1);
  expect(value('shelf_commit_duration_seconds_count')).toBe(1);
  expect(value('shelf_commit_failures_total')).toBe(0);
  expect(value('shelf_records{collection="items"}')).toBe(2);
  expect(value('shelf_listeners')).toBe(1);
  expect(value('shelf_connections')).toBeGreaterThan(0);
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e6);
  expect(value('shelf_event_loop_lag_seconds')).toBeGreaterThanOrEqual(0);
  listening.leave();
  await server.stop();
});

test('clients cannot increase the number of labels without limit', async () => {
  const server = await startServer({ log: { metrics: true } });
  const before = parse(await (await fetch(`${server.url}/metrics`)).text()).size;
  for (let n = 0; n < 200; n++) await fetch(`${server.url}/made-up/${n}?x=${n}`, { method: n % 2 ? 'GET' : `M${n}` });
  const after = parse(await (await fetch(`${server.url}/metrics`)).text()).size;
  expect(after - before).toBeLessThan(60);
  await server.stop();
});

test('without --metrics, /metrics is 404', async () => {
  const server = await startServer();
  expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
  await server.stop();
});

test('the dashboard and the alerts use only existing metrics, and the documentation lists all of them', async () => {
  const files = new TlsFolder(temporaryFolder());
  const server = await startServer({ log: { metrics: true }, tls: files.settings });
  const body = '{"id":2,"name":"x","price":1}';
  await fetch(`${server.url}/api/items`, { method: 'POST', body, ...files.trust() });
  const text = await (await fetch(`${server.url}/metrics`, files.trust())).text();
  await server.stop();
  const known = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name);
  expect([...text.matchAll(/^# HELP (\w+) [A-Z].+\.$/gm)].map(([, name = '']) => name)).toEqual(known);
  const named = (page: string) => [
    ...new Set([...page.matchAll(/\b(?:shelf|process)_[a-z_]+[a-z]/g)].map(([name]) => name)),
  ];

  const alerts = read('ops/alerts.yaml');
  const dashboard = JSON.parse(read('ops/dashboard.json')) as { panels: { targets: { expr: string }[] }[] };
  const used = [
    ...named(alerts),
    ...dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => named(expr))),
  ];
  expect(used.length).toBeGreaterThan(20);
  for (const name of used) expect(known).toContain(name.replace(/_(bucket|sum|count)$/, ''));
  const operations = read('docs/operations.md');
  for (const name of known) if (name.startsWith('shelf_')) expect(operations).toContain(`\`${name}\``);
  const parsed = Bun.YAML.parse(alerts) as {
    groups: { rules: { expr: string; annotations: { runbook: string } }[] }[];
  };
  for (const { expr, annotations } of parsed.groups.flatMap(({ rules }) => rules)) {
    expect(expr.length).toBeGreaterThan(10);
    expect(annotations.runbook).toStartWith('docs/operations.md#shelf');
  }
  const rules = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
  expect(rules).toHaveLength(7);
  for (const rule of rules) expect(operations).toContain(`### ${rule}\n`);
});

test('a log entry has the client and the trace, and that of a slow request has the time of each phase', async () => {
  const log = new ServerLog();
  const server = await startServer({ logTo: log.logTo, log: { slow: 1 } });
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traceparent = `00-${trace}-00f067aa0ba902b7-01`;
  const answer = await fetch(`${server.url}/api/items/1`, { headers: { traceparent } });
  expect(answer.headers.get('traceparent')).toBe(traceparent);
  expect(await log.of(answer)).toMatchObject({ client: '127.0.0.1', trace_id: trace });
  const odd = await fetch(`${server.url}/api/items/1`, { headers: { traceparent: '00-nonsense' } });
  expect(odd.headers.get('traceparent')).toBeNull();
  expect((await log.of(odd)).trace_id).toBeUndefined();

  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode('{"id":9,"name":"x"'));
      await Bun.sleep(30);
      controller.enqueue(new TextEncoder().encode(',"price":1}'));
      controller.close();
    },
  });
  const { level, ms, slow } = await log.of(
    await fetch(`${server.url}/api/items?source=secret`, { method: 'POST', body }),
  );
  expect(level).toBe('warn');
  expect(slow?.body_ms).toBeGreaterThan(1);
  expect(slow?.parameters).toEqual(['source']);
  expect((slow?.body_ms ?? 0) + (slow?.work_ms ?? 0)).toBeCloseTo(ms, 1);
  const list = await log.of(await fetch(`${server.url}/api/v2/items?name[contains]=secret&sort=-price`));
  // Whether it was slow depends on the machine.
  expect(list.slow?.parameters ?? ['name[contains]', 'sort']).toEqual(['name[contains]', 'sort']);
  expect(JSON.stringify(list)).not.toContain('secret');
  await server.stop();
});

test.each([
  ['info', [200, 500]],
  ['warn', [500]],
  ['error', [500]],
] as const)('--log-level %s', async (logLevel, expected) => {
  const log = new ServerLog();
  const server = await startServer({ server: oneThread, logTo: log.logTo, log: { level: logLevel } });
  await fetch(`${server.url}/api/items/1`);
  server.store.reads.contractRecord = () => Promise.reject(new Error('on purpose'));
  await fetch(`${server.url}/api/items/1`);
  expect(log.named('request').map(({ status }) => status)).toEqual([...expected]);
  await server.stop();
});

test('--log off: a request has no entry, and a failure has its own', async () => {
  const log = new ServerLog();
  const server = await startServer({ server: oneThread, logTo: log.logTo, log: { format: 'off' } });
  await fetch(`${server.url}/api/items/1`);
  server.store.reads.contractRecord = () => Promise.reject(new Error('on purpose'));
  await fetch(`${server.url}/api/items/1`);
  expect(log.entries.map(({ event }) => event)).toEqual(['error']);
  await server.stop();
});

test('every answer has nosniff and a Cache-Control', async () => {
  const server = await startServer({ log: { metrics: true } });
  const suits: Record<string, string> = {
    '/api/items': 'no-cache',
    '/api/items/1': 'no-cache',
    '/api/items/404': 'no-store',
    '/api/v2/items': 'no-cache',
    '/api/v2/items/1': 'no-cache',
    '/api/v2/items?limit=x': 'no-store',
    '/api/v2/events': 'private, no-store',
    '/nowhere': 'no-store',
    '/': 'no-store',
    '/docs': 'no-cache',
    '/docs/start.js': 'no-cache',
    '/favicon.ico': 'max-age=86400',
    '/healthz': 'no-store',
    '/metrics': 'no-store',
    '/problems/forbidden': 'no-cache',
  };
  for (const [path, expected] of Object.entries(suits)) {
    const answer = await fetch(server.url + path, { headers: { Accept: 'text/html' } });
    expect({ path, cache: answer.headers.get('Cache-Control') }).toEqual({ path, cache: expected });
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(answer.headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin');
    if (answer.headers.get('Content-Type')?.startsWith('text/html')) {
      const policy = answer.headers.get('Content-Security-Policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
    }
    await answer.body?.cancel();
  }
  await server.stop();
});
