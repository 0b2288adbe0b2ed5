/** The console and `shelf import` cut a file into the same batches, with the same keys: what one of them has added, the other does not add. */
import { expect, test } from 'bun:test';
import { fileBatches } from '../../../src/cli/import-file/file-batches.ts';
import { items } from '../../../src/collections/items.ts';
import type { Collection as Compiled } from '../../../src/domain/record/collection.ts';
import type { Batch } from '../../../src/import/cut-batches.ts';
import { library, libraryFile } from '../../../test/support/data/library.ts';
import type { Collection } from '../../api/declarations.ts';
import { blobBatches } from './blob-batches.ts';
import { lookAt } from './layout.ts';
import { guessPlan, type Plan, withField } from './plan.ts';

type Cut = readonly (readonly [key: string, rows: number])[];

const cutOf = ({ key, good, refused }: Batch) => [key, good.length + refused.length] as const;
const compiled = (name: string) => library.find((one) => one.name === name) ?? items;
const itemsHere: Collection = {
  name: 'items',
  singular: 'item',
  contract: true,
  fields: { name: { type: 'text' }, price: { type: 'number' } },
};
const authorsHere = { name: 'authors', contract: false, ...libraryFile.authors } as unknown as Collection;

async function byCommand(
  text: string,
  collection: Compiled,
  maps: Readonly<Record<string, string | undefined>>,
  name: string,
  key?: readonly string[],
): Promise<Cut> {
  const bytes = new TextEncoder().encode(text);
  const input = {
    name,
    size: bytes.length,
    async *pieces() {
      for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
    },
  };
  const options = { collection, mapped: new Map(Object.entries(maps)), key, maxRow: 1024 * 1024 };
  return Array.fromAsync(fileBatches(input, options), cutOf);
}

async function byConsole(
  text: string,
  collection: Collection,
  choose: (plan: Plan) => Plan,
  name: string,
): Promise<Cut> {
  const source = { name, blob: new Blob([text]) };
  const plan = choose(guessPlan(collection, (await lookAt(source)).layout));
  return Array.fromAsync(blobBatches(source, plan, collection), cutOf);
}

const same = (plan: Plan) => plan;
const many = (row: (n: number) => string, count: number) => Array.from({ length: count }, (_, n) => row(n)).join('');

test.each<
  readonly [
    what: string,
    text: string,
    maps: Readonly<Record<string, string | undefined>>,
    choose: (plan: Plan) => Plan,
    name: string,
  ]
>([
  ['many rows', `name,price\n${many((n) => `item ${n},${n}\n`, 21_000)}`, {}, same, 'a.csv'],
  ['large rows', `name,price\r\n${many((n) => `"${'é😀'.repeat(100_000)}",${n}\r\n`, 30)}`, {}, same, 'a.csv'],
  ['semicolons, blank lines and refused rows', '\ufeff\nname;price\n"a\nb";1\n\nc;cheap\nd\n', {}, same, 'a.csv'],
  ['tabs, and columns in another order', 'id\tprice\texternal_id\tname\n7\t1\t9\tx\n', {}, same, 'a.txt'],
  [
    'other names',
    'Title,price,Notes\na,1,x\n',
    { Title: 'name', Notes: undefined },
    (plan) => withField(plan, 0, 'name'),
    'a.csv',
  ],
  ['lines', `\n{"name":"a","price":1}\r\n\n{ "id":7, "price":-0,"name":"b"}\nno json\n`, {}, same, 'a.ndjson'],
  ['a last line without its end', '{"name":"a","price":1}\r\n{"name":"b","price":2}\r', {}, same, 'a.ndjson'],
  [
    'lines with other names',
    '{"Title":"a","price":1,"b":2,"a":3,"version":4}\n',
    { Title: 'name', a: undefined, b: undefined },
    (plan) => withField(plan, 0, 'name'),
    'a.ndjson',
  ],
])('%s', async (_, text, maps, choose, name) => {
  const cut = await byCommand(text, items, maps, name);
  expect(cut.length).toBeGreaterThan(0);
  expect(await byConsole(text, itemsHere, choose, name)).toEqual(cut as [string, number][]);
});

test('the columns of another collection', async () => {
  const text = 'born,name\n2000-01-01,x\n';
  expect(await byConsole(text, authorsHere, same, 'a.csv')).toEqual(
    (await byCommand(text, compiled('authors'), {}, 'a.csv')) as [string, number][],
  );
});

test('the key has the fields of the columns, and not their names', async () => {
  const keyOf = async (text: string, maps: Readonly<Record<string, string | undefined>>, name = 'a.csv') =>
    (await byCommand(text, items, maps, name))[0]?.[0];
  const plain = await keyOf('name,price,x\na,1,2\n', { x: undefined });
  expect(await keyOf('Title,price,y\na,1,2\n', { Title: 'name', y: undefined })).toBe(plain);
  expect(await keyOf('name,x,price\na,1,2\n', { x: undefined })).not.toBe(plain);
  // The same cells, but another separator.
  expect(await keyOf('name;price\na,b;1\n', {})).not.toBe(await keyOf('name,price\na,b;1\n', {}));
  const lines = '{"x":"a","price":1,"y":"b"}\n';
  const keys = [{ x: 'name', y: undefined }, { y: 'name', x: undefined }, {}].map((maps) =>
    keyOf(lines, maps, 'a.ndjson'),
  );
  expect(new Set(await Promise.all(keys)).size).toBe(3);
});

test('with a key, whatever the order of its fields, the batches have other keys', async () => {
  const text = { csv: 'born,name\n2000-01-01,x\n', lines: '{"name":"x"}\n' };
  for (const [name, sent] of [
    ['a.csv', text.csv],
    ['a.ndjson', text.lines],
  ] as const) {
    const withKey = (key: readonly string[]) => (plan: Plan) => ({ ...plan, key });
    const command = await byCommand(sent, compiled('authors'), {}, name, ['name', 'born']);
    for (const key of [
      ['name', 'born'],
      ['born', 'name'],
    ])
      expect(await byConsole(sent, authorsHere, withKey(key), name)).toEqual(command as [string, number][]);
    expect(await byCommand(sent, compiled('authors'), {}, name)).not.toEqual(command as [string, number][]);
    expect(await byCommand(sent, compiled('authors'), {}, name, ['name'])).not.toEqual(command as [string, number][]);
  }
});
