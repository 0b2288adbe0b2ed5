import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/data/folder.ts';
import {
  at,
  contentsOf,
  itemsNamed,
  makeDatabase,
  optionsOf,
  quietly,
} from '../../../test/support/data/made-database.ts';
import { engineOf } from '../../../test/support/servers/engine.ts';
import { lastingEngines } from '../../../test/support/servers/engines.ts';
import { farJump } from '../../domain/feed/feed-history.ts';
import { collection } from '../../domain/record/collection.ts';
import type { Stored } from '../../domain/record/record.ts';
import { changesTable } from './contents.ts';
import { exportTo } from './folder/export-folder.ts';
import { readManifest } from './folder/manifest.ts';
import { mergeFrom } from './merge.ts';
import { openMerge, openSource } from './open-databases.ts';

const folder = temporaryFolder();
let made = 0;

/** An export of these items. */
async function exported(records: readonly Stored[]): Promise<string> {
  const path = join(folder, String(made++));
  await exportTo(path, contentsOf(records), { ...quietly, version: 'test', at });
  return path;
}

describe.each(lastingEngines())('%s', (_, newUrl) => {
  async function merged(url: string, from: string, signal = quietly.signal) {
    const steps: string[] = [];
    const merge = await openMerge(engineOf(url), optionsOf(url));
    const onStep = (step: string) => steps.push(step);
    try {
      const added = await mergeFrom(from, readManifest(from), merge, { onRows: () => {}, onStep, signal });
      return { added, steps };
    } finally {
      await merge.close();
    }
  }
  async function read(url: string) {
    const source = await openSource(engineOf(url), optionsOf(url), true);
    const names: unknown[] = [];
    const changes: unknown[] = [];
    for (const { collection } of source.outline.parts)
      for await (const records of source.records(collection)) names.push(...records.map(({ row }) => row.name));
    for await (const rows of source.rows(changesTable))
      changes.push(...rows.map(([recordId, , type, id]) => [recordId, type, id]));
    await source.close();
    return { names, changes, gaps: source.outline.gaps };
  }

  test('the records that a database lacks are added, each with a change of a new epoch', async () => {
    const url = await newUrl();
    const all = itemsNamed('one', 'two', 'three');
    await makeDatabase(url, contentsOf(all.slice(0, 1)));
    const from = await exported(all);
    expect(await merged(url, from)).toEqual({ added: 2, steps: ['Comparing', 'Adding', 'Checking'] });
    const next = 3 + farJump;
    expect(await read(url)).toEqual({
      names: ['one', 'two', 'three'],
      changes: [
        [next + 1, 'created', 2],
        [next + 2, 'created', 3],
      ],
      gaps: [[0, next]],
    });
    expect(await merged(url, from)).toEqual({ added: 0, steps: ['Comparing'] });
  });

  test('a record that differs, and a stop, leave the database as it was', async () => {
    const url = await newUrl();
    await makeDatabase(url, contentsOf(itemsNamed('one')));
    const refused = 'items 1 is another record in the database than in the export: nothing was imported.';
    await expect(merged(url, await exported(itemsNamed('ONE', 'two')))).rejects.toThrow(refused);
    const stopped = merged(url, await exported(itemsNamed('one', 'two')), AbortSignal.abort(new Error('stopped')));
    await expect(stopped).rejects.toThrow('stopped');
    expect(await read(url)).toEqual({ names: ['one'], changes: [], gaps: [] });
  });

  test('a value that must be unique is named with its record', async () => {
    const url = await newUrl();
    const books = collection('books', { singular: 'book', fields: { isbn: { type: 'text', max: 9, unique: true } } });
    const of = (recordId: number, isbn: string): Stored => ({
      recordId,
      version: 1,
      createdAt: at,
      updatedAt: at,
      row: { isbn },
    });
    const contents = (...records: readonly Stored[]) => {
      const made = contentsOf(records);
      const declarations = { books: { now: books.declaration, earlier: [] } };
      const parts = [{ collection: books, records: records.length, last: records.at(-1)?.recordId ?? 0 }];
      return { ...made, outline: { ...made.outline, declarations, parts } };
    };
    await makeDatabase(url, contents(of(1, 'a')));
    const from = join(folder, String(made++));
    await exportTo(from, contents(of(2, 'b'), of(3, 'a')), { ...quietly, version: 'test', at });
    await expect(merged(url, from)).rejects.toThrow(
      'books 3 has a value that must be unique, and another record has it',
    );
  });
});
