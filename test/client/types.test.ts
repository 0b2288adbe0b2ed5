/** The types of the client: what has to compile compiles, and what must not does not. */
import { describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { typescriptOf } from '../../src/declarations/typescript.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { lending } from '../support/data/lending.ts';
import { declared, library } from '../support/data/library.ts';
import { runCommand } from '../support/servers/command.ts';
import { root } from '../support/servers/process.ts';
import { startServer } from '../support/servers/server.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** As strict as a user can be; declaration files are checked, too. */
const compilerOptions = {
  target: 'ES2022',
  lib: ['ES2022', 'ESNext.Disposable', 'DOM', 'DOM.AsyncIterable'],
  module: 'Preserve',
  moduleResolution: 'Bundler',
  allowImportingTsExtensions: true,
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  paths: { 'shelf-client': [join(root, 'src/client/index.ts')] },
};

/** Compiles files in an empty folder, and returns the errors. */
async function compile(files: Readonly<Record<string, string>>, folder = temporaryFolder()): Promise<string> {
  mkdirSync(join(folder, 'types'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
  const { stdout, stderr } = await runCommand([join(root, 'node_modules/.bin/tsc'), '-p', folder]);
  return stdout + stderr;
}

const shelfTypes = typescriptOf(library);
/** A rule of two fields, and one with a condition. */
const hallsTypes = typescriptOf(
  declared({
    halls: { singular: 'hall', fields: { name: 'text' } },
    seats: {
      singular: 'seat',
      fields: {
        hall: { type: 'reference', to: 'halls' },
        place: 'integer',
        holder: { type: 'text', max: 50, optional: true },
        note: { type: 'text', default: '' },
      },
      unique: [['hall', 'place'], { fields: ['holder'], where: { note: '' } }],
    },
  }).filter(({ name }) => ['halls', 'seats'].includes(name)),
);

test('the types in test/client are what shelf types prints for the collections of the tests', () => {
  expect(read('test/client/shelf.d.ts')).toBe(shelfTypes);
  expect(read('test/client/halls.d.ts')).toBe(hallsTypes);
});

test('right uses compile, and wrong ones do not', async () => {
  const names = [
    'right',
    'wrong',
    'right-transactions',
    'wrong-transactions',
    'right-summaries',
    'wrong-summaries',
  ].map((name) => `types/${name}.ts`);
  const files = Object.fromEntries(names.map((name) => [name, read(`test/client/${name}`)]));
  expect(await compile({ 'shelf.d.ts': shelfTypes, 'halls.d.ts': hallsTypes, ...files })).toBe('');
  // A comment that expects an error where there is none is an error itself.
  expect(files['types/wrong.ts']?.match(/@ts-expect-error/g)?.length).toBeGreaterThan(40);
  expect(files['types/wrong-summaries.ts']?.match(/@ts-expect-error/g)?.length).toBeGreaterThan(20);
  expect(files['types/wrong-transactions.ts']?.match(/@ts-expect-error/g)?.length).toBeGreaterThan(30);
});

test('the loan of a book compiles, with bigints as ids, and runs', async () => {
  const server = await startServer({ collections: lending });
  const loan = `import { createClient } from 'shelf-client';
import type { Shelf } from './shelf.d.ts';
const shelf = createClient<Shelf>({ url: '${server.url}' });
for (const name of ['Ada', 'Alan', 'Grace']) await shelf.members.create({ name });
for (const title of '1234567') await shelf.books.create({ title });
const { loan } = await shelf.transaction((t) => {
  t.loans.check({ member: 3n, returned_on: { is: 'null' } }, { count: { lt: 5 } });
  t.books.update(7n, { state: 'lent' }, { where: { state: 'available' } });
  const loan = t.loans.create({ book: 7n, member: 3n, due_on: '2026-12-01' });
  t.notices.create({ loan, text: 'lent' });
  return { loan };
});
export const id: number = loan.id;
`;
  const folder = temporaryFolder();
  expect(await compile({ 'shelf.d.ts': typescriptOf(lending), 'loan.ts': loan }, folder)).toBe('');
  const { stderr } = await runCommand([process.execPath, join(folder, 'loan.ts')], { cwd: folder });
  expect(stderr).toBe('');
  const { data } = (await (await fetch(`${server.url}/api/v2/notices?expand=loan.book`)).json()) as { data: object[] };
  expect(data).toMatchObject([
    { text: 'lent', loan: 1, expanded: { loan: { member: 3, expanded: { book: { id: 7, state: 'lent' } } } } },
  ]);
  await server.stop();
});

test('every public method has an example that compiles', async () => {
  const sources = ['api', 'transaction-api', 'client', 'send/failure'].map((name) => read(`src/client/${name}.ts`));
  const blocks = sources.flatMap((source) =>
    [...source.matchAll(/ \* @example\n(.*?) \*\//gs)].map(([, text]) => text ?? ''),
  );
  const methods = sources.slice(0, 2).map((text) => new Set(text.match(/^ {2}[a-z]\w*(?=<|\()/gm)).size);
  expect(methods).toEqual([14, 10]);
  // Both `changes` of the client have one, and `createMany` with a key.
  expect(blocks.length).toBe(1 + 14 + 10 + 3);
  const examples = blocks.map((block) => block.replaceAll(/^ *\* ?/gm, ''));
  const head = `import { createClient, ShelfError } from 'shelf-client';
import type { Operations } from 'shelf-client';
import type { Book, Shelf } from './shelf.d.ts';
declare const process: { env: Record<string, string | undefined> };
`;
  const setUp = `  const shelf = createClient<Shelf>({ url: '' });\n  const book = null as unknown as Book;\n  const t = null as unknown as Operations<Shelf>;\n`;
  const functions = examples.map(
    (text, index) => `export async function example${index}() {\n${setUp}{\n${text}}\n}\n`,
  );
  expect(await compile({ 'shelf.d.ts': shelfTypes, 'examples.ts': head + functions.join('') })).toBe('');
});

describe('generated types', () => {
  test('have no two interfaces of one name, and any text in their comments', async () => {
    const note = { fields: { text: { type: 'text', title: 'Ends */ here', description: 'Two\nlines `x`' } } };
    const collections = declared({
      shelf: { singular: 'shelf', ...note },
      books: { singular: 'book', ...note },
      drafts: { singular: 'book_draft', ...note },
      filters: { singular: 'filter', ...note },
      jsons: { singular: 'json', fields: { json: 'json', class: { type: 'choice', of: ["it's", 'a "b"', '\\'] } } },
      words: { singular: 'word', fields: { any: 'text', not: 'text' } },
      visits: {
        singular: 'visit',
        fields: { name: 'text', at: { type: 'timestamp', default: '$now' }, on: { type: 'date', default: '$today' } },
      },
      notes: { singular: 'note', title: 'A title', description: 'A description', ...note },
    });
    const text = typescriptOf(collections);
    const use = `import { createClient } from 'shelf-client';
import type { Shelf } from './shelf.d.ts';
const shelf = createClient<Shelf>({ url: '' });
export const all = [shelf.shelf.list(), shelf.books.create({ text: '' }), shelf.drafts.create({ text: '' }), shelf.notes.get(1)];
export const made = shelf.jsons.create({ json: { a: [1] }, class: 'a "b"' });
export const visit = shelf.visits.create({ name: '' }).then(({ at, on }): readonly string[] => [at, on]);
export const words = shelf.words.list({ where: { any: 'x', not: { contains: 'y' }, all: [{ any: 'z' }] } });
`;
    expect(await compile({ 'shelf.d.ts': text, 'use.ts': use })).toBe('');
  });

  test('describe fields by their declarations', () => {
    for (const line of [
      '  /** text, pattern "^[0-9]{13}$", max 13, unique */\n  isbn: string;',
      '  /** integer, min 1 */\n  pages: bigint | null;',
      '  /** choice, default "draft" */\n  state?: "draft" | "published";',
      '  /** decimal, scale 2, min "0" */\n  price: string;',
      '  /** reference, to "authors", on_delete "restrict" */\n  author: number;',
    ])
      expect(shelfTypes).toContain(line);
  });
});
