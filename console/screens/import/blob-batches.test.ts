/** From a file to the records that are sent. */
import { describe, expect, test } from 'bun:test';
import type { Batch } from '../../../src/import/cut-batches.ts';
import { libraryFile } from '../../../test/support/data/library.ts';
import type { Collection } from '../../api/declarations.ts';
import { blobBatches } from './blob-batches.ts';
import { lookAt } from './layout.ts';
import { guessPlan, missingIn, type Plan, withField } from './plan.ts';

const books = { name: 'books', contract: false, ...libraryFile.books } as unknown as Collection;
const items: Collection = {
  name: 'items',
  singular: 'item',
  contract: true,
  fields: { name: { type: 'text' }, price: { type: 'number' } },
};

const sourceOf = (text: string | Uint8Array<ArrayBuffer>, name = 'file.csv') => ({ name, blob: new Blob([text]) });
async function planOf(text: string, collection = items, name = 'file.csv'): Promise<Plan> {
  return guessPlan(collection, (await lookAt(sourceOf(text, name))).layout);
}
async function batches(text: string, plan: Plan, collection = items): Promise<Batch[]> {
  return Array.fromAsync(blobBatches(sourceOf(text), plan, collection));
}
async function records(text: string, plan: Plan, collection = items): Promise<string[]> {
  const all = (await batches(text, plan, collection)).flatMap(({ good, refused }) => [...good, ...refused]);
  return all
    .sort((one, other) => one.line - other.line)
    .map((row) => ('json' in row ? row.json : `${row.line}: ${row.reason}`));
}

describe('CSV', () => {
  test('columns have the fields of their names, in any spelling', async () => {
    const text = 'Title;ISBN;Published On;In-stock;id;author;price;Notes\nA;1;2;3;4;5;6;7\n';
    const plan = await planOf(text, books);
    expect(plan.layout.separator).toBe(';');
    expect(plan.fields).toEqual(['title', 'isbn', 'published_on', 'in_stock', null, 'author', 'price', null]);
    expect(missingIn(plan, books)).toEqual([]);
    const moved = withField(plan, 7, 'title');
    expect(moved.fields).toEqual([null, 'isbn', 'published_on', 'in_stock', null, 'author', 'price', 'title']);
    expect(missingIn(withField(plan, 0, null), books)).toEqual(['title']);
  });

  test('digits, nulls, defaults and empty text', async () => {
    const text =
      'title,isbn,price,author,pages,weight,tags,state\r\n"a ""b""",9780000000000,01.5,007,,,"[ ""x"" ]",\r\n';
    expect(await records(text, await planOf(text, books), books)).toEqual([
      '{"title":"a \\"b\\"","isbn":"9780000000000","price":"01.5","author":7,"pages":null,"tags":["x"]}',
    ]);
    const numbers = 'external_id,name,price\n9007199254740993,"",-0\n,x,0.1\n,y,1e-7\n';
    expect(await records(numbers, await planOf(numbers))).toEqual([
      '{"external_id":9007199254740993,"name":"","price":-0}',
      '{"name":"x","price":0.1}',
      '{"name":"y","price":1e-7}',
    ]);
  });

  test('every problem of a row, with its line', async () => {
    const text = 'name,price\n"two\nlines",1\n,x\nshort\n';
    expect(await records(text, await planOf(text))).toEqual([
      '{"name":"two\\nlines","price":1}',
      '4: name is required; price must be a number',
      '5: The row has 1 cells, and the header has 2 columns',
    ]);
  });

  test('a file that is no text is refused', async () => {
    const bytes = [
      [0xff, 0xfe, 0x61, 0x00],
      [0x1f, 0x8b, 0x08],
      [0x61, 0xe9, 0x0a],
    ].map((one) => sourceOf(Uint8Array.from(one)));
    for (const [source, reason] of [
      [bytes[0], 'UTF-16'],
      [bytes[1], 'gzip'],
      [bytes[2], 'not UTF-8'],
      [sourceOf(' \n'), 'no text'],
    ] as const)
      await expect(lookAt(source ?? sourceOf(''))).rejects.toThrow(reason);
    const late = sourceOf(
      Uint8Array.from([...new TextEncoder().encode(`name,price\n${'a,1\n'.repeat(100_000)}`), 0xe9]),
    );
    const plan = guessPlan(items, (await lookAt(late)).layout);
    await expect(Array.fromAsync(blobBatches(late, plan, items))).rejects.toThrow('not UTF-8');
  });
});

describe('lines', () => {
  test('members are renamed, and keep their digits', async () => {
    const text =
      '{"Name":"a","price":9007199254740993,"id":7,"note":"x"}\r\n\n{"price":-0,"name":"b"}\n[]\n{"name":"c"';
    const plan = await planOf(text, items, 'x.ndjson');
    expect(plan.layout.columns).toEqual(['Name', 'price', 'id', 'note', 'name']);
    expect(plan.fields).toEqual(['name', 'price', null, null, null]);
    expect(await records(text, { ...plan, fields: ['name', 'price', null, null, 'name'] })).toEqual([
      '{"name":"a","price":9007199254740993}',
      '{"price":-0,"name":"b"}',
      '4: The row is not a JSON object',
      '5: The row is not JSON',
    ]);
  });

  test('a member that comes late and is no field is a problem', async () => {
    const text = `${'{"name":"a","price":1}\n'.repeat(30)}{"name":"a","price":1,"colour":2}\n`;
    expect((await records(text, await planOf(text, items, 'x.jsonl'))).at(-1)).toStartWith('31: colour is no field');
  });
});

describe('batches', () => {
  const rows = (count: number) => `name,price\n${Array.from({ length: count }, (_, n) => `item ${n},${n}\n`).join('')}`;

  test('have the same keys in the same file, and other keys from a difference on', async () => {
    const text = rows(24_000);
    const plan = await planOf(text);
    const all = await batches(text, plan);
    expect(all.map(({ good }) => good.length)).toEqual([10_000, 10_000, 4000]);
    expect(new Set(all.map(({ key }) => key)).size).toBe(3);
    expect(all.at(-1)?.share).toBe(1);
    expect((await batches(text, plan)).map(({ key }) => key)).toEqual(all.map(({ key }) => key));
    const changed = await batches(text.replace('item 14000,', 'item x,'), plan);
    expect(changed.map(({ key }, place) => key === all[place]?.key)).toEqual([true, false, false]);
    const mapped = await batches(text, withField(plan, 0, null));
    expect(mapped[0]?.key).not.toBe(all[0]?.key);
  });

  test('are cut by their size, too', async () => {
    const text = `name,price\n${`${'x'.repeat(300_000)},1\n`.repeat(20)}`;
    expect((await batches(text, await planOf(text))).length).toBe(2);
  });
});
