/** Summaries in OpenAPI: every name that it lists is accepted, and each answer fits its schema. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import Ajv from 'ajv/dist/2020.js';
import { library } from '../support/data/library.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

type Parameter = { readonly name: string; readonly schema: { readonly items?: { readonly enum: readonly string[] } } };
type Document = {
  readonly paths: Readonly<Record<string, { readonly get: { readonly parameters: readonly Parameter[] } }>>;
};

let server: TestServer;
let document: Document;
beforeAll(async () => {
  server = await startServer({ collections: library });
  document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
  const add = async (name: string, body: object) => {
    const answer = await fetch(`${server.url}/api/v2/${name}`, { method: 'POST', body: JSON.stringify(body) });
    expect(answer.status).toBe(201);
  };
  await add('authors', { name: 'Borges', born: '1899-08-24' });
  const book = { title: 'Ficciones', isbn: '9780802130303', price: '12.30', author: 1 };
  await add('books', { ...book, pages: 174, published_on: '1944-01-01', seen_at: '2026-11-15T09:30:00Z' });
  await add('books', { ...book, isbn: '9780802130310' });
});
afterAll(() => server.stop());

const namesOf = (parameter: string) => {
  const { parameters } = document.paths['/api/v2/books/summary']?.get ?? { parameters: [] };
  return parameters.find(({ name }) => name === parameter)?.schema.items?.enum ?? [];
};

/** In lists of at most `size`. */
function portions(names: readonly string[], size: number): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(names.length / size) }, (_, at) => names.slice(at * size, at * size + size));
}

test('each listed group, measure and order is accepted, and the rows fit', async () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'openapi.json');
  const fits = ajv.compile({ $ref: 'openapi.json#/components/schemas/BookSummary' });
  const ask = async (search: string) => {
    const answer = await fetch(`${server.url}/api/v2/books/summary?${search}`);
    const body = (await answer.json()) as { readonly data: readonly object[] };
    expect({ search, status: answer.status, fits: fits(body), errors: fits.errors }).toEqual({
      search,
      status: 200,
      fits: true,
      errors: null,
    });
    return body.data.map((row) => Object.keys(row));
  };
  const [groups, measures] = [namesOf('group'), namesOf('measures')];
  expect(groups).toEqual(expect.arrayContaining(['author', 'in_stock', 'published_on.week', 'seen_at.hour']));
  expect(measures).toEqual(expect.arrayContaining(['count', 'price.avg', 'pages.sum', 'title.max', 'author.distinct']));
  for (const some of portions(groups, 4))
    expect((await ask(`group=${some}&sort=-${some.at(-1)}`))[0]).toEqual([...some, 'count']);
  for (const some of portions(measures, 10))
    expect(await ask(`measures=${some}&sort=${some.at(-1)},-${some[0]}`)).toEqual([[...some]]);
  const sorted = [...groups, ...measures].flatMap((name) => [name, `-${name}`]);
  expect(namesOf('sort')).toEqual(sorted);
  expect(fits({ data: [{ 'price.avg': 7 }], groups: 1 })).toBe(false);
  expect(fits({ data: [{ 'published_on.month': '1944' }], groups: 1 })).toBe(false);
  expect(fits({ data: [] })).toBe(false);
});

test('a field with the name of a parameter is filtered with brackets', () => {
  const names = document.paths['/api/v2/books/summary']?.get.parameters.map(({ name }) => name) ?? [];
  expect(names).toEqual(
    expect.arrayContaining(['group', 'measures', 'where', 'having', 'sort', 'limit', 'price[gte]']),
  );
  expect(new Set(names).size).toBe(names.length);
});
