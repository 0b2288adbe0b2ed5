/** OpenAPI of declared collections: every example fits its schema, and the schemas say what the server accepts. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import Ajv from 'ajv/dist/2020.js';
import { parseJson } from '../../src/domain/input/json.ts';
import { type Pattern, patternOf } from '../../src/domain/pattern/pattern.ts';
import { exactJson } from '../../src/domain/record/json-schema.ts';
import { declared } from '../support/data/library.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

/** Every type, with every bound, and patterns of many kinds. */
const collections = declared({
  shops: {
    singular: 'shop',
    fields: {
      name: { type: 'text', max: 20, unique: true },
      city: { type: 'text', max: 20, optional: true },
      closed: { type: 'boolean', default: false },
    },
    unique: [['city', 'name'], { fields: ['city'], where: { closed: true } }],
    check: [{ where: { any: [{ city: { is: 'set' } }, { closed: false }] }, message: 'must be there to close' }],
  },
  things: {
    singular: 'thing',
    contract: true,
    fields: {
      text: 'text',
      short: { type: 'text', max: 3 },
      empty: { type: 'text', max: 0 },
      long: { type: 'text', min: 300 },
      digits: { type: 'text', pattern: '^[0-9]{13}$', max: 13, unique: true },
      code: { type: 'text', pattern: '^[A-Z]{2}-\\d+$' },
      slug: { type: 'text', pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$', min: 12 },
      email: { type: 'text', pattern: '^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$' },
      uuid: { type: 'text', pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' },
      color: { type: 'text', pattern: '^#(?:[0-9A-F]{3}|[0-9A-F]{6})$', min: 4 },
      release: { type: 'text', pattern: '^v\\d+\\.\\d+(\\.\\d+)?$' },
      phone: { type: 'text', pattern: '^\\+[1-9]\\d{6,14}$' },
      name: { type: 'text', pattern: '^\\p{Lu}\\p{Ll}+(?: \\p{Lu}\\p{Ll}+)?$' },
      inside: { type: 'text', pattern: 'é' },
      padded: { type: 'text', pattern: 'é', min: 12 },
      between: { type: 'text', pattern: '\\bé\\b' },
      chinese: { type: 'text', pattern: '^[\\u4e00-\\u9fa5]{2,}$' },
      repeated: { type: 'text', pattern: '^(?:[a-z]{3}-){4,}$', min: 30 },
      integer: 'integer',
      low: { type: 'integer', max: -5 },
      large: { type: 'integer', min: '9007199254740993', max: '9007199254740995' },
      number: { type: 'number', min: 100.5, max: 1e21 },
      price: { type: 'decimal', scale: 2, min: '0.50', max: '99999.99' },
      loss: { type: 'decimal', scale: 9, max: '-0.5' },
      whole: { type: 'decimal', scale: 0 },
      boolean: 'boolean',
      date: { type: 'date', min: '1450-01-01', max: '1999-12-31' },
      later: { type: 'date', min: '2100-01-01' },
      any_day: 'date',
      timestamp: 'timestamp',
      choice: { type: 'choice', of: ["it's", 'b'] },
      list: { type: 'list', of: 'text' },
      none: { type: 'list', of: 'text', max: 0 },
      three: { type: 'list', of: { type: 'text', pattern: '^[A-Z]{3}$' }, min: 3, max: 5 },
      amounts: { type: 'list', of: { type: 'decimal', scale: 1, min: '1' }, min: 1 },
      json: { type: 'json', max: 100 },
      shop: { type: 'reference', to: 'shops', description: 'Where it is sold.' },
      note: { type: 'text', optional: true, description: 'Anything.' },
      day: { type: 'date', optional: true, min: '2000-01-01' },
      state: { type: 'choice', of: ['new', 'old'], default: 'new' },
      count: { type: 'integer', default: 9007199254740993n },
      numbers: { type: 'list', of: 'integer', default: [9007199254740993n] },
      made_at: { type: 'timestamp', default: '$now', description: 'When.' },
      made_on: { type: 'date', default: '$today', optional: true },
    },
  },
  secrets: {
    singular: 'secret',
    contract: true,
    fields: { word: { type: 'text', pattern: 'a^' } },
  },
});

type Json = Readonly<Record<string, unknown>>;
let server: TestServer;
let text: string;
let document: Json;
beforeAll(async () => {
  server = await startServer({ collections });
  text = await (await fetch(`${server.url}/openapi.json`)).text();
  document = JSON.parse(text) as Json;
});
afterAll(() => server.stop());

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

const valueAt = (from: unknown, path: readonly string[]) =>
  path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), from);
/** The value at this path of the document. */
const at = (...path: string[]) => valueAt(document, path);

type Example = { readonly path: readonly string[]; readonly value: unknown };

/** Each example and default in the document, with the path of its schema. */
function examplesIn(value: unknown, path: readonly string[]): Example[] {
  if (!isObject(value)) return [];
  const { schema, example, examples } = value;
  const own: Example[] = [];
  const many = isObject(examples) && !Array.isArray(examples) ? Object.values(examples) : [];
  if (schema !== undefined && example !== undefined) own.push({ path: [...path, 'schema'], value: example });
  for (const one of schema === undefined ? [] : many)
    own.push({ path: [...path, 'schema'], value: (one as Json).value });
  for (const one of Array.isArray(examples) ? examples : []) own.push({ path, value: one });
  const isSchema = ['type', 'anyOf', '$ref'].some((key) => typeof value[key] === 'string' || Array.isArray(value[key]));
  if (isSchema && value.default !== undefined) own.push({ path, value: value.default });
  const inner = Object.entries(value)
    .filter(([key]) => !['example', 'examples', 'default'].includes(key))
    .flatMap(([key, one]) => examplesIn(one, [...path, key]));
  return [...own, ...inner];
}

const formats = {
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  decimal: /^-?\d+(\.\d+)?$/,
  'uri-reference': /^\S*$/,
  int32: true,
  int64: true,
  double: true,
  binary: true,
} as const;

const pointerTo = (path: readonly string[]) =>
  path.map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** What is wrong with a value, by the schema at this path. */
function problemsOf(): (example: Example) => unknown {
  const ajv = new Ajv({ strict: false, validateSchema: false, formats });
  ajv.addSchema(document, 'openapi');
  return ({ path, value }) => {
    const validate = ajv.getSchema(`openapi#${pointerTo(path)}`);
    if (validate === undefined) throw new Error(`there is no schema at ${path.join(' ')}`);
    return validate(value) ? undefined : { path: path.join(' '), value, errors: validate.errors };
  };
}

test('every example and default fits its schema', () => {
  const examples = examplesIn(document, []);
  expect(examples.length).toBeGreaterThan(150);
  const problems = problemsOf();
  expect(examples.map(problems).filter((one) => one !== undefined)).toEqual([]);
  expect(examples.filter(({ path, value }) => path.includes('parameters') && value === '')).toEqual([]);
  // The check finds a wrong one.
  const [body = { path: [], value: {} }] = examples.filter(({ path }) => path.includes('/api/things'));
  expect(problems({ ...body, value: [{ id: 'x' }] })).toBeObject();
});

test('the server accepts every example of a record', () => {
  for (const { name, contract, example, encode, parse, record } of collections) {
    if (name === 'secrets') continue;
    if (example === undefined) throw new Error(`${name} has no example`);
    if (contract !== undefined) parse(parseJson(encode(example)));
    const { id: _, ...fields } = example;
    record.parse(parseJson(record.encodeDraft({ contractId: undefined, fields })));
  }
});

test('where no text matches a pattern, there is no example', () => {
  const { content } = at('paths', '/api/v2/secrets', 'post', 'requestBody') as { content: Json };
  expect(content['application/json']).toEqual({ schema: { $ref: '#/components/schemas/SecretDraft' } });
  expect(at('paths', '/api/secrets', 'post', 'requestBody', 'content', 'application/json', 'example')).toBeUndefined();
});

test('an example is made when it is asked for, and once', () => {
  const pattern = '^lazy[0-9]$';
  const made = spyOn(patternOf(pattern) as Pattern, 'example');
  const fields = { word: { type: 'text', pattern }, words: { type: 'list', of: { type: 'text', pattern } } };
  const late = declared({ lates: { singular: 'late', fields } }).at(-1);
  expect(late?.record.parse(parseJson('{"word":"lazy1","words":["lazy2"]}'))).toBeObject();
  expect(made).toHaveBeenCalledTimes(0);
  expect(late?.example).toMatchObject({ word: 'lazy1' });
  expect(late?.fields.word?.example).toBe('lazy1');
  // One for the text, and one for the elements of the list.
  expect(made).toHaveBeenCalledTimes(2);
});

describe('a collection with the routes of the contract', () => {
  const content = ['paths', '/api/things', 'post', 'requestBody', 'content', 'application/json'];
  /** With every digit. */
  const example = () => valueAt(exactJson(text), [...content, 'example']) as Json;
  const send = (body: object) => fetch(`${server.url}/api/things`, { method: 'POST', body: JSON.stringify(body) });

  test('has a body that may leave out what the server does not require', async () => {
    const body = at(...content, 'schema');
    expect(body).toEqual({ $ref: '#/components/schemas/ThingBody' });
    const schemas = at('components', 'schemas') as Record<string, { required: string[]; properties: Json }>;
    const { Thing, ThingBody, Item, ItemBody } = schemas;
    const optional = ['note', 'day', 'state', 'count', 'numbers', 'made_at', 'made_on'];
    expect(Thing?.required).toEqual(Object.keys(Thing?.properties ?? {}));
    expect(ThingBody?.required).toEqual(Thing?.required.filter((key) => !optional.includes(key)) ?? []);
    expect(ThingBody?.properties.state).toMatchObject({ default: 'new' });
    expect(JSON.stringify(Thing)).not.toContain('"default"');
    expect(ThingBody?.properties.made_at).toMatchObject({
      description: expect.stringMatching(/^When\.\n\nFrom .*\n\nIf absent: the time of the change\.$/),
    });
    expect(ThingBody?.properties.made_on).toMatchObject({ description: 'If absent: the day of the change.' });
    expect(JSON.stringify([ThingBody?.properties.made_at, Thing])).not.toMatch(/\$now|If absent/);
    // Collections without such fields have one schema for both.
    expect([Item?.required, ItemBody]).toEqual([['id', 'name', 'price'], undefined]);

    const least = Object.entries(example()).filter(([key]) => !optional.includes(key));
    const answer = await send({ ...Object.fromEntries(least), shop: await newShop() });
    expect([answer.status, await answer.json()]).toMatchObject([201, { note: null, state: 'new' }]);
  });

  test('declares 409 where unique values and references can clash, and the server answers it', async () => {
    for (const version of ['/api', '/api/v1'])
      expect(Object.keys(at('paths', `${version}/things`, 'post', 'responses') as Json)).toContain('409');
    expect(Object.keys(at('paths', '/api/items', 'post', 'responses') as Json)).not.toContain('409');
    const answer = await send({ ...example(), digits: '2222222222222', shop: 999 });
    expect(answer.status).toBe(409);
  });

  test('says which values are unique', () => {
    const about = (path: string, method: string) => String(at('paths', path, method, 'description'));
    const unique =
      'Unique among all records, nulls left out: `name`; `city` and `name` together; `city` where `{"closed":true}`. Otherwise 409 `already_exists`.';
    for (const [path, method] of [
      ['/api/v2/shops', 'post'],
      ['/api/v2/shops/{id}', 'put'],
      ['/api/v2/shops/{id}', 'patch'],
    ] as const)
      expect(about(path, method)).toBe(unique);
    expect(about('/api/v2/shops/bulk', 'post')).toEndWith(` ${unique}`);
    expect(at('paths', '/api/v2/items', 'post')).not.toHaveProperty('description');
  });

  test('says what every record meets, and how a broken rule is answered', async () => {
    const rule = '{"any":[{"city":{"is":"set"}},{"closed":false}]}';
    const text = `Every record meets, after every change:\n\n- \`${rule}\`, or 400 \`invalid_body\` at \`city\` and \`closed\`: must be there to close`;
    for (const name of ['ShopRecord', 'ShopDraft', 'ShopPatch'])
      expect(at('components', 'schemas', name, 'description')).toBe(text);
    expect(at('components', 'schemas', 'ThingRecord')).not.toHaveProperty('description');
    const answer = await fetch(`${server.url}/api/v2/shops`, { method: 'POST', body: '{"name":"x","closed":true}' });
    expect(answer.status).toBe(400);
    const example = (path: string, method: string) =>
      at(
        'paths',
        path,
        method,
        'responses',
        '400',
        'content',
        'application/problem+json',
        'examples',
        'invalid_body',
        'value',
      );
    const body = (await answer.json()) as Json;
    expect(example('/api/v2/shops', 'post')).toEqual(body);
    for (const method of ['put', 'patch'])
      expect(example('/api/v2/shops/{id}', method)).toEqual({ ...body, instance: '/api/v2/shops/1' });
  });

  let shops = 0;
  async function newShop(): Promise<number> {
    const body = JSON.stringify({ name: `shop ${++shops}` });
    const answer = await fetch(`${server.url}/api/v2/shops`, { method: 'POST', body });
    return ((await answer.json()) as { id: number }).id;
  }
});

describe('bounds without a keyword of JSON Schema', () => {
  const property = (name: string) => at('components', 'schemas', 'ThingDraft', 'properties', name) as Json;

  test.each([
    ['price', 'From 0.50 to 99999.99.', '0.50', '99999.99'],
    ['loss', 'From -9223372036.854775808 to -0.500000000.', '-9223372036.854775808', '-0.500000000'],
    ['whole', 'From -9223372036854775808 to 9223372036854775807.', '-9223372036854775808', '9223372036854775807'],
    ['date', 'From 1450-01-01 to 1999-12-31.', '1450-01-01', '1999-12-31'],
    ['any_day', 'From 0001-01-01 to 9999-12-31.', '0001-01-01', '9999-12-31'],
    [
      'timestamp',
      'From 0001-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z.',
      '0001-01-01T00:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
    ],
  ])('of %s are described', (name, description, minimum, maximum) => {
    expect(property(name)).toMatchObject({ type: 'string', description, 'x-minimum': minimum, 'x-maximum': maximum });
  });

  test('are described beside the text of the declaration, in elements, and for null', () => {
    expect(property('shop').description).toBe('Where it is sold.\n\nThe id of a record of shops.');
    expect(property('amounts')).toMatchObject({ minItems: 1, maxItems: 10_000, items: { 'x-minimum': '1.0' } });
    expect(property('day')).toMatchObject({ anyOf: [{ 'x-minimum': '2000-01-01' }, { type: 'null' }] });
    expect(property('json').description).toBe('At most 100 bytes of JSON, without white space between the values.');
  });

  test('have every digit', () => {
    expect(text).toContain('"minimum":9007199254740993,"maximum":9007199254740995');
    expect(text).toContain('"default":9007199254740993');
    expect(text).toContain('"default":[9007199254740993]');
  });

  test('of filters together are described, and enforced', async () => {
    const bound = 'All filters together have at most 100 values.';
    for (const path of ['/api/v2/things', '/api/v2/things/export']) {
      const { description, parameters } = at('paths', path, 'get') as { description: string; parameters: Json[] };
      expect(description).toContain(bound);
      const filter = parameters.find(({ name }) => name === 'integer[in]');
      expect(filter).toMatchObject({ schema: { minItems: 1, maxItems: 100 } });
      expect(filter?.description).toContain(bound);
    }
    const status = async (values: number) => {
      const ids = Array.from({ length: values }, (_, id) => id + 1);
      return (await fetch(`${server.url}/api/v2/things?id[in]=${ids}&integer=1`)).status;
    };
    expect([await status(99), await status(100)]).toEqual([200, 400]);
  });
});
