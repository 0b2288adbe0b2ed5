/** The schema of `where` in OpenAPI accepts what the server accepts. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import Ajv, { type ValidateFunction } from 'ajv/dist/2020.js';
import { declared, libraryFile } from '../support/data/library.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const notes = { singular: 'note', fields: { text: { type: 'text', search: true }, tag: 'text' } };
const collections = declared({ ...libraryFile, notes });

let server: TestServer;
let schemaOf: (name: string) => ValidateFunction | undefined;
beforeAll(async () => {
  server = await startServer({ collections });
  const ajv = new Ajv({ strict: false, validateSchema: false, validateFormats: false });
  ajv.addSchema((await (await fetch(`${server.url}/openapi.json`)).json()) as object, 'openapi');
  schemaOf = (name) => ajv.getSchema(`openapi#/components/schemas/${name}`);
});
afterAll(() => server.stop());

async function isAccepted(path: string, where: unknown): Promise<boolean> {
  const { status } = await fetch(`${server.url}/api/v2/${path}?where=${encodeURIComponent(JSON.stringify(where))}`);
  expect([200, 400]).toContain(status);
  return status === 200;
}

test.each([
  {
    state: 'published',
    price: { gte: '5', lt: '20' },
    any: [{ 'author.name': 'Borges' }, { tags: { has: 'classic' } }],
  },
  { not: { title: { starts_with: 'Draft', contains_ci: 'x' }, pages: { is: 'null' } } },
  {
    published_on: { gte: '1944-01-01' },
    updated_at: { gt: { field: 'created_at' } },
    pages: { ne: { field: 'version' } },
  },
  { all: [{ in_stock: true }, { author: { in: [1, 2] } }, { isbn: { eq: { field: 'title' } } }], pages: { in: [] } },
  { weight: 0.5, ratings: { has: 5, is: 'set' }, 'follows.author.name': { eq_ci: 'BORGES' } },
  {},
])('%j is right', async (where) => {
  expect(schemaOf('BookWhere')?.(where)).toBe(true);
  for (const path of ['books', 'books/export']) expect(await isAccepted(path, where)).toBe(true);
});

test.each([
  { title: { like: 'x' } },
  { title: 7 },
  { title: null },
  { price: 5 },
  { pages: '5' },
  { state: 'gone' },
  { state: { gt: 'draft' } },
  { tags: 'new' },
  { title: { is: 'null' } },
  { author: { in: 7 } },
  { title: { contains: { field: 'isbn' } } },
  { author: { eq: { field: 'follows' } } },
  { any: [] },
  { all: { title: 'x' } },
  { not: [{ title: 'x' }] },
  { any: [{ title: { like: 'x' } }] },
  { any: [[]] },
])('%j is wrong', async (where) => {
  expect(schemaOf('BookWhere')?.(where)).toBe(false);
  expect(await isAccepted('books', where)).toBe(false);
});

test('an unknown field is wrong in a collection without references, which has no paths', () => {
  const items = schemaOf('ItemWhere');
  expect([{ name: 'x' }, { nmae: 'x' }].map((where) => items?.(where))).toEqual([true, false]);
});

test('words are of searched fields, each and all together', async () => {
  const right = [
    { words: 'a b*' },
    { text: { words: '' } },
    { any: [{ words: 'a' }, { not: { text: { words: 'b' } } }] },
  ];
  const wrong = [{ words: 7 }, { words: { contains: 'x' } }, { tag: { words: 'x' } }, { text: { words: ['x'] } }];
  for (const [all, isRight] of [
    [right, true],
    [wrong, false],
  ] as const)
    for (const where of all) {
      expect([where, schemaOf('NoteWhere')?.(where)]).toEqual([where, isRight]);
      expect([where, await isAccepted('notes', where)]).toEqual([where, isRight]);
    }
  expect(schemaOf('BookWhere')?.({ title: { words: 'x' } })).toBe(false);
});
