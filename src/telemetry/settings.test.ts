import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from './settings.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

test('the endpoint of all signals is a base', () => {
  const { targets, sampler, metricsMs } = readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example/in/' });
  expect(Object.values(targets).map(({ url }) => url)).toEqual([
    'https://otel.example/in/v1/traces',
    'https://otel.example/in/v1/metrics',
    'https://otel.example/in/v1/logs',
  ]);
  expect(targets.traces).toMatchObject({
    protocol: 'http/protobuf',
    timeoutMs: 10_000,
    compression: 'none',
    headers: {},
  });
  expect(sampler).toEqual({ name: 'parentbased_always_on', ratio: 1 });
  expect(metricsMs).toBe(60_000);
});

test('the endpoint of one signal is its address, and no other signal is sent', () => {
  const { targets } = readSettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://a:1/x?y=z' });
  expect(Object.keys(targets)).toEqual(['traces']);
  expect(targets.traces?.url).toBe('http://a:1/x?y=z');
});

test('variables of one signal come before those of all', () => {
  const { targets } = readSettings({
    ...endpoint,
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://logs/in',
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20a',
    OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'x-a=1, x-b = 2',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    OTEL_EXPORTER_OTLP_LOGS_TIMEOUT: '',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_METRICS_EXPORTER: 'none',
  });
  expect(Object.keys(targets)).toEqual(['traces', 'logs']);
  expect(targets.traces).toMatchObject({
    headers: { authorization: 'Bearer a' },
    protocol: 'http/json',
    timeoutMs: 500,
    compression: 'gzip',
  });
  expect(targets.logs).toMatchObject({
    url: 'http://logs/in',
    headers: { 'x-a': '1', 'x-b': '2' },
    protocol: 'http/protobuf',
    timeoutMs: 500,
  });
});

test('the name of the service comes before that of the resource', () => {
  const attributes = 'service.name=a,service.instance.id=b,team=x%2Cy';
  const { resource } = readSettings({ ...endpoint, OTEL_RESOURCE_ATTRIBUTES: attributes, OTEL_SERVICE_NAME: 'c' });
  expect(resource).toMatchObject({ 'service.name': 'c', 'service.instance.id': 'b', team: 'x,y' });
  expect(readSettings(endpoint).resource['service.name']).toBe('shelf');
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' }, /^OTEL_EXPORTER_OTLP_ENDPOINT must be a URL of http or https/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'file:///etc/passwd' }, /^OTEL_EXPORTER_OTLP_ENDPOINT must be a URL/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:hunter2@b' }, /set OTEL_EXPORTER_OTLP_HEADERS\.$/],
  [
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json, got "grpc".',
  ],
  [{ OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '1s' }, /^OTEL_EXPORTER_OTLP_TRACES_TIMEOUT must be a number of milliseconds/],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'hunter2' }, /^OTEL_EXPORTER_OTLP_HEADERS must have pairs/],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=hunter2%0d%0ab' }, /^OTEL_EXPORTER_OTLP_HEADERS has a name or a value/],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'a=%' }, /^OTEL_RESOURCE_ATTRIBUTES must have pairs/],
  [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, /^OTEL_TRACES_SAMPLER must be always_on or .*, got "jaeger_remote"\.$/],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' }, /must be a number from 0 to 1, got "2"\.$/],
  [{ OTEL_LOGS_EXPORTER: 'console' }, 'OTEL_LOGS_EXPORTER must be otlp or none, got "console".'],
  [{ OTEL_EXPORTER_OTLP_CERTIFICATE: 'a.pem' }, /is not supported: name a file .* in NODE_EXTRA_CA_CERTS\.$/],
  [{ OTEL_EXPORTER_OTLP_LOGS_CERTIFICATE: 'a.pem' }, /^OTEL_EXPORTER_OTLP_LOGS_CERTIFICATE is not supported/],
  [{ OTEL_EXPORTER_OTLP_CLIENT_KEY: 'a.pem' }, /is not supported: send to a collector on this machine/],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '1%' }, /from 0 to 1, got "1%"\.$/],
  [{ OTEL_METRIC_EXPORT_INTERVAL: '0' }, /^OTEL_METRIC_EXPORT_INTERVAL must be a number of milliseconds from 1 .*"0"/],
  [{ OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd' }, 'OTEL_EXPORTER_OTLP_COMPRESSION must be gzip or none, got "zstd".'],
  [{ OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'delta' }, /must be cumulative, got "delta"\.$/],
])('%j is refused', (variables, message) => {
  expect(() => readSettings({ ...endpoint, ...variables })).toThrow(message);
  expect(() => readSettings({ ...endpoint, ...variables })).not.toThrow(/hunter2|\n/);
});

test('docs/configuration.md has every variable that is read', () => {
  const page = readFileSync(join(import.meta.dir, '../../docs/configuration.md'), 'utf8');
  const read = new Set<string>();
  const env = new Proxy<Record<string, string>>(endpoint, {
    get: (variables, name) => {
      read.add(String(name));
      return variables[String(name)];
    },
  });
  readSettings(env);
  // The page has a sentence for variables of one signal.
  const general = [...read].map((name) =>
    name.replace(/_(?:TRACES|METRICS|LOGS)_(HEADERS|PROTOCOL|TIMEOUT|COMPRESSION|C\w+|ENDPOINT)$/, '_$1'),
  );
  expect(general.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  expect(general).toContain('OTEL_EXPORTER_OTLP_COMPRESSION');
});
