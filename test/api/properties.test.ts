/** Properties of all records and bodies, with a real socket and a real database. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { items } from '../../src/collections/items.ts';
import { parseJson } from '../../src/domain/input/json.ts';
import type { Row } from '../../src/domain/record/row.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const anyInteger = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const anyDouble = fc.double({ noNaN: true, noDefaultInfinity: true });
const anyText = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'));
const anyItem: fc.Arbitrary<Row> = fc.record({ id: anyInteger, name: anyText, price: anyDouble });

/** The records of a list, with numbers as exact digits and not as doubles. */
function rows(text: string): Row[] {
  return text === '[]'
    ? []
    : text
        .slice(1, -1)
        .split(/(?<=\}),(?=\{"id":)/)
        .map((one) => items.parse(parseJson(one)));
}

const wrongId = fc.oneof(
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.double({ min: 0.1, max: 0.9, noNaN: true }),
  fc.array(fc.integer()),
);
const wrongName = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constant('\ud800'),
  fc.constant('a\0b'),
  fc.object(),
);
const wrongPrice = fc.oneof(fc.string(), fc.boolean(), fc.constant(null), fc.array(fc.double()));
const right = { id: fc.integer(), name: fc.string(), price: fc.integer() };

const invalidBody = fc.oneof(
  fc.record({ ...right, id: wrongId }).map((body) => JSON.stringify(body)),
  fc.record({ ...right, name: wrongName }).map((body) => JSON.stringify(body)),
  fc.record({ ...right, price: wrongPrice }).map((body) => JSON.stringify(body)),
  fc.record({ id: fc.integer(), name: fc.string() }).map((body) => JSON.stringify(body)),
  fc
    .tuple(fc.constantFrom(1n, -1n), fc.bigInt({ min: 2n ** 63n + 1n, max: 2n ** 200n }))
    .map(([sign, beyond]) => `{"id":${sign * beyond},"name":"n","price":1}`),
  fc
    .oneof(fc.array(fc.jsonValue()), fc.string(), fc.integer(), fc.constant(null))
    .map((value) => JSON.stringify(value)),
  // A truncated object is not valid JSON.
  fc.record(right).chain((body) => {
    const text = JSON.stringify(body);
    return fc.integer({ min: 0, max: text.length - 1 }).map((end) => text.slice(0, end));
  }),
  // This byte never occurs in valid UTF-8.
  fc.record(right).map((body) => Buffer.concat([Buffer.from(JSON.stringify(body)), Buffer.of(0xff)])),
);

describe.each(migratedEngines())('%s', (_, newUrl) => {
  let database: string;
  let server: TestServer;
  beforeAll(async () => {
    database = await newUrl();
    server = await startServer({ database });
  });
  afterAll(() => server.stop());

  const post = (body: string | Uint8Array<ArrayBuffer>) => fetch(`${server.url}/api/items`, { method: 'POST', body });
  const list = async () => (await fetch(`${server.url}/api/items`)).text();

  test('any valid record is returned unchanged and in order, also after a restart', async () => {
    const sent: Row[] = rows(await list());
    const property = fc.asyncProperty(fc.array(anyItem, { minLength: 1, maxLength: 5 }), async (batch) => {
      for (const row of batch) {
        const response = await post(items.encode(row));
        expect(response.status).toBe(201);
        expect(items.parse(parseJson(await response.text()))).toEqual(row);
        sent.push(row);
        const first = sent.find(({ id }) => id === row.id);
        const found = await (await fetch(`${server.url}/api/items/${row.id}`)).text();
        expect(items.parse(parseJson(found))).toEqual(first as Row);
      }
      expect(rows(await list())).toEqual(sent);
    });
    await fc.assert(property, { numRuns: 60 });

    const before = await list();
    await server.stop();
    server = await startServer({ database });
    expect(await list()).toBe(before);
    expect(rows(before)).toEqual(sent);
  });

  test('any invalid body is 400 with a reason, and changes nothing', async () => {
    const before = await list();
    const property = fc.asyncProperty(invalidBody, async (body) => {
      const response = await post(body);
      expect(response.status).toBe(400);
      const { detail, errors } = (await response.json()) as {
        detail: string;
        errors: { field: string; message: string }[];
      };
      expect(detail).toEndWith('.');
      expect(errors.length).toBeGreaterThan(0);
      for (const { message } of errors) expect(message).not.toBe('');
    });
    await fc.assert(property, { numRuns: 300 });
    expect(await list()).toBe(before);
  });

  test('any text as an id is 400 unless it is an integer', async () => {
    const anySegment = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text !== '.' && text !== '..');
    const property = fc.asyncProperty(anySegment, async (segment) => {
      const { status } = await fetch(`${server.url}/api/items/${encodeURIComponent(segment)}`);
      expect(/^-?\d+$/.test(segment) ? [200, 404] : [400]).toContain(status);
    });
    await fc.assert(property, { numRuns: 200 });
  });
});
