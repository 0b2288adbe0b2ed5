/** The command with the variables of OpenTelemetry: what is loaded, all of its threads, and its end. */
import { afterAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/data/folder.ts';
import { Receiver } from '../support/otlp/receiver.ts';
import { root, runShelf, startShelf } from '../support/servers/process.ts';
import { type Client, connections } from '../support/threads/thread-clients.ts';

const folder = temporaryFolder();
const receiver = new Receiver();
afterAll(() => receiver.stop());

describe('its code', () => {
  const preload = join(folder, 'preload.ts');
  writeFileSync(
    preload,
    `import { plugin } from 'bun';
     import { readFileSync } from 'node:fs';
     plugin({ name: 'loaded', setup(build) {
       build.onLoad({ filter: /src\\/telemetry\\// }, ({ path }) => {
         process.stderr.write('loaded ' + path + '\\n');
         return { contents: readFileSync(path, 'utf8'), loader: 'ts' };
       });
     } });`,
  );
  const command = [process.execPath, '--preload', preload, join(root, 'src/cli/main.ts')];
  const start = (env: Record<string, string>) =>
    startShelf({ command, args: ['--database', 'memory:'], env: { SHELF_THREADS: '1', ...env } });

  test.each<[string, Record<string, string>]>([
    ['without a variable', {}],
    ['with OTEL_SDK_DISABLED', { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }],
    ['without an endpoint', { OTEL_SERVICE_NAME: 'shop', OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  ])('is not loaded %s', async (_, env) => {
    const shelf = await start(env);
    expect((await fetch(`${shelf.url}/api/items`)).status).toBe(200);
    expect(await shelf.stop()).toBe(0);
    expect(await shelf.errors()).not.toContain('loaded');
  });

  test('is loaded with an endpoint', async () => {
    const shelf = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
    expect(await shelf.stop()).toBe(0);
    expect(await shelf.errors()).toContain('src/telemetry/process-telemetry.ts');
  });
});

test('a wrong variable is named in one line, and nothing is served', async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  const { code, stderr } = await runShelf({ args: ['--database', 'memory:'], env });
  expect([code, stderr]).toEqual([
    1,
    'shelf: OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json, got "grpc".\n',
  ]);
});

test.each(['http/protobuf', 'http/json'])('both threads send everything before the end: %s', async (protocol) => {
  receiver.spans.length = 0;
  receiver.logs.length = 0;
  const shelf = await startShelf({
    args: ['--database', `sqlite:${join(folder, `${protocol.slice(5)}.db`)}`],
    env: {
      SHELF_THREADS: '2',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    },
  });
  const clients = connections(shelf.url, 20);
  const ask = async (client: Client, index: number) => {
    const created = await client.ask('POST', '/api/items', `{"id":${index},"name":"a","price":1}`);
    return [created.status, (await client.ask('GET', `/api/items/${index}`)).status];
  };
  const statuses = (await Promise.all(clients.map(ask))).flat();
  expect(new Set(statuses)).toEqual(new Set([201, 200]));
  const traced = statuses.length;
  const changes = JSON.parse(await (await fetch(`${shelf.url}/api/v2/changes`)).text()).data;
  for (const client of clients) client.close();
  expect(await shelf.stop()).toBe(0);

  expect(receiver.faults).toEqual([]);
  const servers = receiver.spans.filter(({ kind }) => kind === 2);
  expect(servers.length).toBe(traced + 1);
  expect(new Set(servers.map(({ traceId }) => traceId)).size).toBe(traced + 1);
  expect(receiver.logs.filter(({ eventName }) => eventName === 'shelf.request').length).toBe(traced + 1);
  const durations = receiver.metrics.find(({ name }) => name === 'http.server.request.duration');
  expect(durations?.points.reduce((sum, { count }) => sum + Number(count), 0)).toBe(traced + 1);
  const created = servers.filter(({ name }) => name === 'POST /api/items').map(({ traceId }) => traceId);
  const ids = changes.flatMap((change: { trace_id?: string }) => change.trace_id ?? []);
  expect(ids.sort()).toEqual(created.sort());
  // Each line of the log has the trace, too.
  expect(shelf.output()).toContain(`"trace_id":"${created[0]}"`);
});
