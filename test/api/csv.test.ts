/** CSV in, on every engine: what an export wrote comes back exactly, and what is wrong is named with line and column. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { declared, libraryFile } from '../support/data/library.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

type Problem = {
  readonly type: string;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string; readonly line?: number }[];
};

const file = {
  ...libraryFile,
  things: {
    singular: 'thing',
    contract: true,
    fields: {
      text: 'text',
      note: { type: 'text', optional: true },
      count: 'integer',
      amount: 'number',
      price: { type: 'decimal', scale: 2 },
      is_new: { type: 'boolean', default: true },
      day: { type: 'date', optional: true },
      at: { type: 'timestamp', optional: true },
      state: { type: 'choice', of: ['=draft', 'done'], default: 'done' },
      names: { type: 'list', of: 'text', optional: true },
      counts: { type: 'list', of: 'integer', default: [] },
      more: { type: 'json', optional: true },
    },
  },
};

const required = 'text,count,amount,price';
/** Texts that a spreadsheet or a careless parser would change. */
const oddTexts = [
  '',
  ' ',
  ' a ',
  'a,b',
  'say "hi"',
  '"',
  '""',
  'two\nlines',
  'two\r\nlines',
  'a\rb',
  '=1+1',
  '+1',
  '-1',
  '@x',
  '\t=1',
  "'",
  "''",
  "'=1",
  "''-1",
  "'a",
  '＝1',
  '\ufeff',
  'é😀\u2028',
  '\\N',
  'NULL',
  '0x1',
];
const edgeIntegers = [0n, 1n, -1n, 9007199254740993n, -9007199254740993n, 2n ** 63n - 1n, -(2n ** 63n)];
const edgeDoubles = [0, -0, 0.1, 1e-7, 1e308, -1e308, 5e-324, 1e21, 123456789012345680000, -1.5];

const anyText = fc.oneof(
  fc.constantFrom(...oddTexts),
  fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0')),
);
const anyInteger = fc.oneof(fc.constantFrom(...edgeIntegers), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }));
const anyDouble = fc.oneof(fc.constantFrom(...edgeDoubles), fc.double({ noNaN: true, noDefaultInfinity: true }));
const double = (value: number) => (Object.is(value, -0) ? '-0' : String(value));
const day = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
/** A record as JSON text, so that every digit is there. */
const anyThing = fc
  .record({
    external_id: anyInteger.map(String),
    text: anyText.map((text) => JSON.stringify(text)),
    note: optional(anyText).map((text) => JSON.stringify(text)),
    count: anyInteger.map(String),
    amount: anyDouble.map(double),
    price: fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }).map((cents) => {
      const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
      return `"${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}"`;
    }),
    is_new: fc.boolean().map(String),
    day: optional(day.map((text) => text.slice(0, 10))).map((text) => JSON.stringify(text)),
    at: optional(day).map((text) => JSON.stringify(text)),
    state: fc.constantFrom('"=draft"', '"done"'),
    names: optional(fc.array(anyText, { maxLength: 3 })).map((texts) => JSON.stringify(texts)),
    counts: fc.array(anyInteger, { maxLength: 3 }).map((counts) => `[${counts.join()}]`),
    more: optional(
      fc.oneof(
        anyInteger.map(String),
        anyText.map((text) => JSON.stringify(text)),
        anyDouble.map(double),
      ),
    ).map((json) => json ?? 'null'),
  })
  .map((fields) => `{${Object.entries(fields).map(([key, json]) => `"${key}":${json}`)}}`);

describe.each(migratedEngines())('%s', (_, newUrl) => {
  let server: TestServer;
  beforeAll(async () => {
    const limits = { maxBody: 64 * 1024, maxBulk: 16 * 1024 * 1024 };
    server = await startServer({ database: await newUrl(), collections: declared(file), limits });
  });
  afterAll(() => server.stop());

  type Sent = string | Uint8Array<ArrayBuffer> | ReadableStream;
  const post = (body: Sent, { path = 'things', type = 'text/csv', headers = {} as Record<string, string> } = {}) =>
    fetch(`${server.url}/api/v2/${path}`, { method: 'POST', body, headers: { 'Content-Type': type, ...headers } });
  const get = async (path: string, accept = 'application/json') =>
    (await fetch(`${server.url}/api/v2/${path}`, { headers: { Accept: accept } })).text();
  const total = async (collection = 'things') =>
    (JSON.parse(await get(`${collection}?count=exact&limit=1`)) as { total: number }).total;
  async function refused(sent: Promise<Response>, status = 400): Promise<Problem> {
    const answer = await sent;
    expect(answer.status).toBe(status);
    return (await answer.json()) as Problem;
  }
  /** The lines of an export without what the server sets anew. */
  const values = (ndjson: string) =>
    ndjson.replaceAll(/"id":\d+,/g, '').replaceAll(/,"version":\d+,"created_at":"[^"]*","updated_at":"[^"]*"/g, '');
  const exported = (type: string, after: number) => get(`things/export?id[gt]=${after}&sort=id`, type);
  const lastId = async () =>
    (JSON.parse(await get('things?sort=-id&limit=1&fields=id')) as { data: { id: number }[] }).data[0]?.id ?? 0;

  test('an export in either format can be sent back, and gives the same values', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyThing, { minLength: 1, maxLength: 20 }), async (things) => {
        const before = await lastId();
        const made = await post(things.join('\n'), { type: 'application/x-ndjson' });
        expect(await made.text()).toStartWith(`{"created":${things.length},`);
        const first = await exported('application/x-ndjson', before);
        for (const type of ['text/csv', 'application/x-ndjson']) {
          const sent = await exported(type, before);
          const from = await lastId();
          const again = await post(Buffer.from(sent), { type });
          expect(await again.text()).toStartWith(`{"created":${things.length},`);
          expect(values(await exported('application/x-ndjson', from))).toBe(values(first));
          await Promise.all(
            Array.from({ length: things.length }, (_, n) =>
              fetch(`${server.url}/api/v2/things/${from + 1 + n}`, { method: 'DELETE' }),
            ),
          );
        }
        await Promise.all(
          Array.from({ length: things.length }, (_, n) =>
            fetch(`${server.url}/api/v2/things/${before + 1 + n}`, { method: 'DELETE' }),
          ),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('every edge number and odd text in one file', async () => {
    const rows = Math.max(oddTexts.length, edgeIntegers.length, edgeDoubles.length);
    const lines = Array.from({ length: rows }, (_, n) => {
      const count = edgeIntegers[n % edgeIntegers.length] ?? 0n;
      return `{"text":${JSON.stringify(oddTexts[n % oddTexts.length])},"count":${count},"amount":${double(edgeDoubles[n % edgeDoubles.length] ?? 0)},"price":"-${n}.05"}`;
    });
    const before = await lastId();
    expect((await post(lines.join('\n'), { type: 'application/x-ndjson' })).status).toBe(201);
    const first = await exported('application/x-ndjson', before);
    const csv = await exported('text/csv', before);
    const from = await lastId();
    expect((await post(csv)).status).toBe(201);
    const without = (text: string) => values(text).replaceAll(/"external_id":\d+,/g, '');
    expect(without(await exported('application/x-ndjson', from))).toBe(without(first));
    expect(without(first)).toContain('"count":9007199254740993,"amount":1e-7');
    expect(without(first)).toContain('"amount":-0,');
  });

  test('columns in any order, either line end, a byte order mark, blank lines, and no line end at the end', async () => {
    const text = '\ufeffprice,text,count,amount\r\n1.50,"a ""b""",7,0.1\n\n\r\n2,c,8,1e3';
    const from = await lastId();
    const answer = await post(text, { path: 'things/bulk', type: 'text/csv; charset=utf-8; header=present' });
    expect(answer.status).toBe(201);
    const found = await exported('application/x-ndjson', from);
    const texts = [...found.matchAll(/"text":.*?"price":"[^"]*"/g)].map(String);
    expect(texts).toEqual([
      '"text":"a \\"b\\"","note":null,"count":7,"amount":0.1,"price":"1.50"',
      '"text":"c","note":null,"count":8,"amount":1000,"price":"2.00"',
    ]);
  });

  test('an empty cell is null, or the default of a field that is not optional; empty text is in quotes', async () => {
    const header = `external_id,${required},note,is_new,day,counts`;
    const from = await lastId();
    const answer = await post(`${header}\n,"",1,1,1,,,,\n,"",1,1,1,"",FALSE,2026-11-16,"[1,2]"\n`);
    expect(await answer.text()).toStartWith('{"created":2,');
    const found = await exported('application/x-ndjson', from);
    expect(
      [...found.matchAll(/"(?:external_id|text|note|is_new|day|state|counts)":(?:"[^"]*"|\[.*?\]|\w+)/g)].map(String),
    ).toEqual([
      `"external_id":${from + 1}`,
      '"text":""',
      '"note":null',
      '"is_new":true',
      '"day":null',
      '"state":"done"',
      '"counts":[]',
      `"external_id":${from + 2}`,
      '"text":""',
      '"note":""',
      '"is_new":false',
      '"day":"2026-11-16"',
      '"state":"done"',
      '"counts":[1,2]',
    ]);
  });

  test('a wrong header is refused with every problem at once', async () => {
    const before = await total();
    const { type, detail, errors } = await refused(post('txt,count,count,,colour\nx,1,2,3,4\n'));
    expect(type).toBe('/problems/invalid-body');
    expect(detail).toStartWith('Nothing was added. Line 1: Invalid header: txt unknown field; did you mean "text"?; ');
    expect(errors).toEqual([
      { pointer: '#/txt', detail: 'unknown field; did you mean "text"?', line: 1 },
      { pointer: '#/count', detail: 'there are two columns with this name', line: 1 },
      { pointer: '#/', detail: 'column 4 has no name', line: 1 },
      { pointer: '#/colour', detail: expect.stringContaining('unknown field; '), line: 1 },
      { pointer: '#/text', detail: 'is required, and there is no such column', line: 1 },
      { pointer: '#/amount', detail: 'is required, and there is no such column', line: 1 },
      { pointer: '#/price', detail: 'is required, and there is no such column', line: 1 },
    ]);
    expect(await total()).toBe(before);
  });

  test('wrong cells and rows are refused together, each with its line', async () => {
    const before = await total();
    const rows = ['ok,1,1,1', '"two\nlines",x,1e999,1.234', 'a,b', ',1,1,1', 'x,"",1,-', 'ok,1,1,1'];
    const { detail, errors } = await refused(post(`${required}\n${rows.join('\n')}\n`));
    expect(detail).toStartWith(
      'Nothing was added. Line 3: Invalid thing: count must be an integer; amount must be a number',
    );
    expect(errors?.map(({ line, pointer, detail: one }) => [line, pointer, one])).toEqual([
      [3, '#/count', 'must be an integer'],
      [3, '#/amount', 'must be a number that a 64-bit double can hold'],
      [3, '#/price', expect.stringContaining('must be a decimal number with at most 2 places')],
      [5, '#', 'has 2 cells, and the header has 4 columns'],
      [6, '#/text', 'is required'],
      [7, '#/count', 'must be an integer; for null, leave the cell empty, without quotes'],
      [7, '#/price', expect.stringContaining('must be a decimal number')],
    ]);
    expect(await total()).toBe(before);
  });

  test.each([
    [
      'an open quote',
      `${required}\na,1,1,1\n"b,2,2,2\n`,
      'Line 3: text has a quote that is not closed, from line 3 on.',
    ],
    ['a quote in plain text', `${required}\na"b,1,1,1\n`, 'Line 2: text has a quote inside text without quotes.'],
    [
      'line ends of CR alone',
      `${required}\ra,1,1,1\r`,
      'Line 1: column 4 has a carriage return without a line feed: end lines with LF or CRLF.',
    ],
    ['nothing', '', 'Line 1: The text is empty: the first row names the fields.'],
    ['blank lines', '\n\r\n\n', 'Line 1: The text is empty: the first row names the fields.'],
    [
      'a row over the limit',
      `${required}\n${'x'.repeat(70_000)},1,1,1`,
      'Line 2: The row is over the limit of 65536 characters.',
    ],
    ['very many columns', `${required}${',x'.repeat(2000)}\n`, 'Line 1: The row has more than 1000 columns.'],
    [
      'Latin-1',
      Buffer.from(`${required}\na,1,1,1\né,1,1,1\n`, 'latin1'),
      'Line 3: The text has the byte 0xE9 at offset 32, which is not UTF-8.',
    ],
    [
      'UTF-16',
      Buffer.from('\ufefftext,count', 'utf16le'),
      'Line 1: The text is UTF-16, not UTF-8: it has the byte 0xFF at offset 0.',
    ],
    [
      'gzip',
      Bun.gzipSync('text,count\n'),
      'Line 1: The text is compressed with gzip: it has the byte 0x8B at offset 1.',
    ],
  ])('%s is refused with its place', async (_, body, expected) => {
    const { type, detail, errors } = await refused(post(body as Sent));
    expect({ type, detail }).toEqual({ type: '/problems/malformed-csv', detail: `Nothing was added. ${expected}` });
    expect(errors?.[0]?.line).toBe(Number(/\d+/.exec(expected)?.[0]));
  });

  test('a header alone, another charset and a missing header are refused with the reason', async () => {
    expect((await refused(post(`${required}\n`))).detail).toContain('a header and no records');
    const latin = await refused(post(`${required}\n`, { type: 'text/csv; charset=iso-8859-1' }), 415);
    expect(latin.detail).toBe('The charset iso-8859-1 is not supported: send CSV in UTF-8.');
    expect((await refused(post('a,1', { type: 'text/csv;header=absent' }), 415)).detail).toContain('header row');
    expect((await refused(post('x', { headers: { 'Content-Encoding': 'gzip' } }), 415)).type).toContain('encoding');
    expect((await refused(post('text\n'.repeat(4_000_000)), 413)).type).toBe('/problems/body-too-large');
  });

  test('a garbled or endless body ends early, and the memory stays flat', async () => {
    const before = process.memoryUsage.rss();
    let sent = 0;
    const endless = (part: Uint8Array, most: number) =>
      new ReadableStream({
        pull(controller) {
          sent += part.length;
          controller.enqueue(part);
          if (sent >= most) controller.close();
        },
      });
    const part = Buffer.alloc(256 * 1024, 'x');
    const most = 12 * 1024 * 1024;
    const quote = Buffer.concat([Buffer.from('text\n"'), part]);
    for (const body of [
      quote,
      part,
      Buffer.alloc(256 * 1024, ','),
      Buffer.alloc(256 * 1024, '\r'),
      Buffer.alloc(256 * 1024, 0),
    ]) {
      sent = 0;
      const answer = await post(endless(body, most)).catch(() => undefined);
      // The answer can be lost with the connection, because the server does not read the rest.
      if (answer !== undefined) expect(answer.status).toBe(400);
    }
    const random = crypto.getRandomValues(new Uint8Array(65_536));
    expect((await post(random)).status).toBe(400);
    expect(process.memoryUsage.rss() - before).toBeLessThan(150 * 1024 * 1024);
    expect(await (await fetch(`${server.url}/healthz`)).text()).toContain('ok');
  });

  test('a key makes a retry safe, whatever the format', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const csv = `${required}\nkeyed,1,1,1\n`;
    const first = await post(csv, { headers });
    const again = await post(csv, { headers });
    const json = await post('{"text":"keyed","count":1,"amount":1,"price":"1"}', {
      headers,
      type: 'application/x-ndjson',
    });
    expect([first.status, again.status, json.status]).toEqual([201, 201, 201]);
    expect([again, json].map((one) => one.headers.get('Idempotent-Replayed'))).toEqual(['true', 'true']);
    await refused(post(`${csv}keyed,2,2,2\n`, { headers }), 422);
  });

  describe('dry_run', () => {
    const publishers = (names: readonly string[]) => `name\n${names.join('\n')}\n`;
    const dry = { path: 'publishers?dry_run=true' };

    test('checks, adds nothing and uses no key', async () => {
      const before = await total('publishers');
      const changes = async () =>
        (JSON.parse(await get('changes?collection=publishers&limit=1000')) as { last: number }).last;
      const last = await changes();
      const headers = { 'Idempotency-Key': crypto.randomUUID() };
      for (const path of [dry.path, 'publishers/bulk?dry_run=true']) {
        const answer = await post(publishers(['one', 'two']), { path, headers });
        expect([answer.status, await answer.text()]).toEqual([200, '{"dry_run":true,"valid":2}']);
      }
      const json = await post('{"name":"one"}\n{"name":"two"}\n{"name":"three"}', {
        ...dry,
        type: 'application/x-ndjson',
      });
      expect(await json.text()).toBe('{"dry_run":true,"valid":3}');
      expect(await total('publishers')).toBe(before);
      expect(await changes()).toBe(last);
      const real = await post(publishers(['dry-1', 'dry-2']), { path: 'publishers?dry_run=false', headers });
      expect(real.status).toBe(201);
      const { first_id, last_id } = (await real.json()) as { first_id: number; last_id: number };
      expect(last_id - first_id).toBe(1);
      expect(await total('publishers')).toBe(before + 2);
    });

    test('finds what a bulk would: wrong values, taken values, and missing references', async () => {
      expect((await post(publishers(['taken']), { path: 'publishers' })).status).toBe(201);
      const before = await total('publishers');
      const taken = await refused(post(publishers(['free', 'taken', 'free']), dry), 409);
      expect(taken.errors?.map(({ line, pointer }) => [line, pointer])).toEqual([
        [3, '#/name'],
        [4, '#/name'],
      ]);
      const missing = await refused(post('name,publisher\nA,\nB,999999\n', { path: 'authors?dry_run=true' }), 409);
      expect(missing.errors?.map(({ line, pointer }) => [line, pointer])).toEqual([[3, '#/publisher']]);
      expect((await refused(post(publishers(['x'.repeat(101)]), dry))).errors?.[0]?.line).toBe(2);
      expect(await total('publishers')).toBe(before);
      // The next record is written as ever.
      expect((await post(publishers(['free']), { path: 'publishers' })).status).toBe(201);
    });

    test('is the only parameter, is true or false, and is for bulks', async () => {
      const json = { type: 'application/json' };
      expect((await refused(post('{"name":"x"}', { ...dry, ...json }))).detail).toContain(
        'Unknown query parameter dry_run',
      );
      expect((await refused(post('name\nx', { path: 'publishers?dry_run=1' }))).detail).toContain(
        'expected true or false, got "1"',
      );
      expect((await refused(post('name\nx', { path: 'publishers?dry=true' }))).detail).toContain(
        'known parameters: dry_run, import',
      );
      const twice = await refused(post('name\nx', { path: 'publishers?dry_run=true&dry_run=true' }));
      expect(twice.detail).toContain('given twice');
      expect((await refused(post('name\nx', { path: 'publishers?dry_run=true&x=1' }))).detail).toContain('parameter x');
    });
  });
});
