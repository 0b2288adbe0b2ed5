/** Every change that a request makes has its trace, on every engine: also those of cascades, of keyed bulks and of transactions. */
import { expect, test } from 'bun:test';
import { readSettings } from '../../src/telemetry/settings.ts';
import { declared } from '../support/data/library.ts';
import { startServer } from '../support/servers/server.ts';
import { everyEngine } from '../support/servers/transactions.ts';

const collections = declared({
  shelves: { singular: 'shelf', fields: { name: { type: 'text', max: 20, unique: true } } },
  books: {
    singular: 'book',
    fields: {
      title: { type: 'text', max: 20 },
      shelf: { type: 'reference', to: 'shelves', on_delete: 'cascade', optional: true },
      next_to: { type: 'reference', to: 'shelves', on_delete: 'clear', optional: true },
    },
  },
});
// Nothing is sent there: the traces are those of the caller, which are not sampled, and none begins here.
const telemetry = readSettings({
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:1',
  OTEL_TRACES_SAMPLER: 'parentbased_always_off',
});

test.each(everyEngine())('%s', async (_, newUrl) => {
  const server = await startServer({ database: await newUrl(), collections, telemetry });
  async function ask(digit: string, method: string, path: string, body?: string, type = 'application/json') {
    const traceparent = `00-${digit.repeat(32)}-${'b'.repeat(16)}-00`;
    const headers = { traceparent, 'Content-Type': type };
    const response = await fetch(`${server.url}/api/v2/${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    expect(response.status).toBeLessThan(300);
    await response.arrayBuffer();
  }
  const lines = (...names: string[]) => names.map((name) => JSON.stringify({ name })).join('\n');
  await ask('1', 'POST', 'shelves', '{"name":"a"}');
  await ask('2', 'POST', 'shelves/bulk?key=name', lines('a', 'b'), 'application/x-ndjson');
  await ask('3', 'POST', 'books/bulk', '{"title":"x","shelf":1}\n{"title":"y","next_to":1}', 'application/x-ndjson');
  const once =
    '{"operations":[{"op":"update","collection":"books","id":2,"record":{"title":"z"}},{"op":"create","collection":"shelves","record":{"name":"c"}}]}';
  await ask('4', 'POST', 'transactions', once);
  // Two records change with it.
  await ask('5', 'DELETE', 'shelves/1');
  const { data } = JSON.parse(await (await fetch(`${server.url}/api/v2/changes`)).text());
  await server.stop();
  expect(data.map(({ type, trace_id }: Record<string, string>) => `${trace_id?.[0]} ${type}`).slice(-10)).toEqual([
    '1 shelf.created',
    '2 shelf.updated',
    '2 shelf.created',
    '3 book.created',
    '3 book.created',
    '4 book.updated',
    '4 shelf.created',
    '5 book.updated',
    '5 book.deleted',
    '5 shelf.deleted',
  ]);
});

test.each(everyEngine())('%s: each of many additions in one commit has its own trace, or none', async (_, newUrl) => {
  const server = await startServer({ database: await newUrl(), collections, telemetry });
  const traceOf = (number: number) => number.toString(16).padStart(32, 'a');
  const added = Array.from({ length: 60 }, async (_, number) => {
    const traceparent = `00-${traceOf(number)}-${'b'.repeat(16)}-00`;
    // Names of shelves are unique, which is checked; items are inserted as they come.
    const [path, body] =
      number % 2 === 0 ? ['shelves', { name: `${number}` }] : ['items', { name: `${number}`, price: 1 }];
    const headers: Record<string, string> = number % 3 === 0 ? {} : { traceparent };
    const sent = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await fetch(`${server.url}/api/v2/${path}`, sent)).status;
  });
  expect(new Set(await Promise.all(added))).toEqual(new Set([201]));
  const { data } = JSON.parse(await (await fetch(`${server.url}/api/v2/changes?limit=1000`)).text());
  await server.stop();
  const traces = data
    .slice(-60)
    .map((one: { record: { name: string }; trace_id?: string }) => [one.record.name, one.trace_id]);
  expect(new Map(traces)).toEqual(
    new Map(Array.from({ length: 60 }, (_, number) => [`${number}`, number % 3 === 0 ? undefined : traceOf(number)])),
  );
});
