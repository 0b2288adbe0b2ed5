/** A collector that is gone, slow or hostile costs nothing but its data. */
import { afterEach, expect, test } from 'bun:test';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { readSettings } from '../../src/telemetry/settings.ts';
import { Receiver } from '../support/otlp/receiver.ts';
import { partialSuccess } from '../support/otlp/schema.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const receivers: Receiver[] = [];
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.stop();
});

function newReceiver(): Receiver {
  const receiver = new Receiver();
  receivers.push(receiver);
  return receiver;
}

type Line = { readonly event: string; readonly message?: string };

async function served(url: string, timeout: string, use: (server: TestServer) => Promise<void>) {
  const lines: Line[] = [];
  const telemetry = readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_TIMEOUT: timeout });
  const server = await startServer({ telemetry, logTo: (entry) => lines.push(entry as Line) });
  await use(server);
  return { server, lines: () => lines.filter(({ event }) => event === 'telemetry') };
}

async function write(server: TestServer): Promise<void> {
  const requests = Array.from({ length: 600 }, async (_, id) => {
    const body = JSON.stringify({ id, name: 'a', price: 1 });
    return (await fetch(`${server.url}/api/items`, { method: 'POST', body })).status;
  });
  expect(new Set(await Promise.all(requests))).toEqual(new Set([201]));
}

const hostile: Readonly<Record<string, (receiver: Receiver) => void>> = {
  'is gone': (receiver) => void receiver.stop(),
  'never answers': (receiver) => {
    receiver.answer = () => new Promise(() => {});
  },
  'answers with garbage': (receiver) => {
    receiver.answer = () => new Response('\u0000'.repeat(200_000), { status: 500 });
  },
  'sends the server elsewhere': (receiver) => {
    receiver.answer = () => Response.redirect('http://127.0.0.1:1/', 307);
  },
  'finds every body too large': (receiver) => {
    receiver.answer = () => new Response(null, { status: 413 });
  },
  'is asked too often': (receiver) => {
    receiver.answer = () => new Response(null, { status: 429, headers: { 'Retry-After': '30' } });
  },
  'names no time that there is': (receiver) => {
    receiver.answer = () => new Response(null, { status: 429, headers: { 'Retry-After': 'soon' } });
  },
  'wants to be left alone for years': (receiver) => {
    receiver.answer = () => new Response(null, { status: 503, headers: { 'Retry-After': '999999999' } });
  },
};

test.each(Object.keys(hostile))('requests are served, and one line says that the collector %s', async (name) => {
  const receiver = newReceiver();
  const { url } = receiver;
  hostile[name]?.(receiver);
  const { server, lines } = await served(url, '50', write);
  await server.stop();
  expect(lines().length).toBe(1);
  expect(lines()[0]?.message).toStartWith('The OpenTelemetry collector takes no ');
  expect(lines()[0]?.message).toContain(` at ${url}/v1/`);
});

test('requests are served while the collector closes each connection', async () => {
  let connections = 0;
  const closing = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await once(closing.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(closing.address() as AddressInfo).port}`;
  const { server, lines } = await served(url, '5000', write);
  await server.stop();
  closing.close();
  expect(connections).toBeGreaterThan(0);
  expect(lines().map(({ message }) => message?.slice(0, 43))).toEqual(['The OpenTelemetry collector takes no traces']);
});

const taken: Readonly<Record<string, readonly [answer: () => Response, said: RegExp[]]>> = {
  'takes a part': [
    () => new Response(Buffer.from(partialSuccess(3, 'too old'))),
    [/^The OpenTelemetry collector rejects some \w+, 3 at first \(too old\)\.$/],
  ],
  'says that it took everything, in no words of OTLP': [() => new Response('<html>\u0000\u00ff</html>'), []],
};

test.each(Object.keys(taken))('requests are served by a server whose collector %s', async (name) => {
  const receiver = newReceiver();
  const [answer, said] = taken[name] ?? [() => new Response(), []];
  receiver.answer = answer;
  const { server, lines } = await served(receiver.url, '5000', write);
  await server.stop();
  expect(receiver.requests.length).toBeGreaterThan(0);
  expect(lines().length).toBe(said.length);
  for (const [index, pattern] of said.entries()) expect(lines()[index]?.message).toMatch(pattern);
});

test('a collector that comes back gets what waited, and the log says so', async () => {
  const receiver = newReceiver();
  receiver.answer = () => new Response(null, { status: 503 });
  const { server, lines } = await served(receiver.url, '60000', async (running) => {
    await write(running);
    await receiver.until(() => receiver.requests.length > 0);
    receiver.answer = undefined;
  });
  await receiver.until(() => receiver.spans.filter(({ kind }) => kind === 2).length === 600);
  await server.stop();
  expect(receiver.faults).toEqual([]);
  expect(lines().map(({ message }) => message?.slice(0, 43))).toEqual([
    'The OpenTelemetry collector takes no traces',
    'The OpenTelemetry collector takes everythin',
  ]);
});
