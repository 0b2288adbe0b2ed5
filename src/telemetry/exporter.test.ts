import { afterEach, expect, test } from 'bun:test';
import { partialSuccess } from '../../test/support/otlp/schema.ts';
import type { Entry } from '../http/observe/log-entry.ts';
import { CollectorHealth } from './collector-health.ts';
import { Exporter } from './exporter.ts';

const opened: { stop(force: boolean): unknown }[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) server.stop(true);
});

type Answer = (number: number) => Response | Promise<Response>;

function collector(answer: Answer) {
  const bodies: string[] = [];
  const times: number[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      times.push(performance.now());
      bodies.push(await request.text());
      return answer(bodies.length);
    },
  });
  opened.push(server);
  return { url: `http://127.0.0.1:${server.port}/v1/traces`, bodies, times };
}

function exporterTo(url: string, more: { timeoutMs?: number; pauseMs?: number } = {}) {
  const said: string[] = [];
  const health = new CollectorHealth((entry: Entry) =>
    said.push(`${entry.level} ${'message' in entry ? entry.message : ''}`),
  );
  const { timeoutMs = 5000, pauseMs = 1 } = more;
  const target = { url, headers: {}, timeoutMs, protocol: 'http/protobuf', compression: 'none' } as const;
  return { exporter: new Exporter('traces', target, health, pauseMs), said };
}

const bytes = (text: string) => new TextEncoder().encode(text);
async function settled(said: readonly string[], count: number) {
  while (said.length < count) await new Promise(setImmediate);
}
const ok = () => new Response();

test.each([429, 502, 503, 504])('after %p the same body is sent again', async (status) => {
  const { url, bodies } = collector((number) => (number < 3 ? new Response(null, { status }) : ok()));
  const { exporter, said } = exporterTo(url);
  exporter.add(bytes('a'), 1);
  exporter.add(bytes('b'), 1);
  await settled(said, 2);
  expect(bodies.slice(0, 3)).toEqual(['a', 'a', 'a']);
  expect(said[0]).toStartWith(`warn The OpenTelemetry collector takes no traces at ${url} (status ${status}).`);
  expect(said[1]).toBe('info The OpenTelemetry collector takes everything again; 0 items were lost.');
  await exporter.close(5000);
  expect(bodies).toEqual(['a', 'a', 'a', 'b']);
});

test.each([400, 401, 404, 413, 500, 307])('after %p the body is lost, and the next one is sent', async (status) => {
  const elsewhere = collector(ok);
  const headers = { Location: elsewhere.url };
  const { url, bodies } = collector((number) => (number === 1 ? new Response(null, { status, headers }) : ok()));
  const { exporter, said } = exporterTo(url);
  exporter.add(bytes('a'), 3);
  exporter.add(bytes('b'), 1);
  await exporter.close(5000);
  expect([bodies, elsewhere.bodies]).toEqual([['a', 'b'], []]);
  expect(said.length).toBe(2);
  expect(said[1]).toEndWith('3 items were lost.');
});

test('Retry-After is waited for', async () => {
  const busy = () => new Response(null, { status: 429, headers: { 'Retry-After': '1' } });
  const { url, times } = collector((number) => (number === 1 ? busy() : ok()));
  const { exporter, said } = exporterTo(url);
  exporter.add(bytes('a'), 1);
  await settled(said, 2);
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(990);
});

test('without a collector a bounded amount waits, one line says so, and the end does not wait', async () => {
  const { url } = collector(ok);
  await opened.pop()?.stop(true);
  const { exporter, said } = exporterTo(url, { pauseMs: 60_000 });
  const body = new Uint8Array(1024 * 1024);
  for (let number = 0; number < 10; number++) exporter.add(body, 1);
  await settled(said, 1);
  exporter.health.succeeded('traces');
  expect(said[1]).toEndWith('; 6 items were lost.');
  await exporter.close(60_000);
});

test('a collector that never answers is left after the timeout, and at the end', async () => {
  const { url } = collector(() => new Promise(() => {}));
  const { exporter, said } = exporterTo(url, { timeoutMs: 20 });
  exporter.add(bytes('a'), 1);
  await settled(said, 1);
  const late = exporterTo(url, { timeoutMs: 60_000 });
  late.exporter.add(bytes('a'), 1);
  await Promise.all([exporter.close(20), late.exporter.close(20)]);
});

test('of an endless answer only the beginning is read', async () => {
  const chunk = new Uint8Array(16 * 1024);
  let sent = 0;
  const endless = () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          sent += chunk.length;
          controller.enqueue(chunk);
        },
      }),
    );
  const { url, bodies } = collector((number) => (number === 1 ? endless() : ok()));
  const { exporter, said } = exporterTo(url);
  exporter.add(bytes('a'), 1);
  exporter.add(bytes('b'), 1);
  await exporter.close(60_000);
  expect([bodies, said]).toEqual([['a', 'b'], []]);
  expect(sent).toBeLessThan(64 * 1024 * 1024);
});

test('what a collector rejects of a request is said once', async () => {
  const { url } = collector(() => new Response(Buffer.from(partialSuccess(2, 'too old'))));
  const { exporter, said } = exporterTo(url);
  exporter.add(bytes('a'), 3);
  exporter.add(bytes('b'), 3);
  await exporter.close(5000);
  expect(said).toEqual(['warn The OpenTelemetry collector rejects some traces, 2 at first (too old).']);
});
