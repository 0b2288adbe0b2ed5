import { describe, expect, test } from 'bun:test';
import {
  apiKey,
  contentsOf,
  createdChange,
  itemsNamed,
  makeDatabase,
  optionsOf,
  quietly,
} from '../../../test/support/data/made-database.ts';
import { engineOf } from '../../../test/support/servers/engine.ts';
import { lastingEngines } from '../../../test/support/servers/engines.ts';
import { differences, outlineDifferences, tally } from './digest.ts';
import { openSource, openTarget } from './open-databases.ts';
import { transfer } from './transfer.ts';

const records = itemsNamed('tab\t, line\n, backslash \\', '\\N');
const whole = contentsOf(records, { changes: [createdChange(4, records[1] as never)], api_keys: [apiKey] });
const target = async (url: string) =>
  openTarget(engineOf(url), { ...optionsOf(url), keepsApiKeys: false, advice: 'choose another' });

describe.each(lastingEngines())('%s', (_, newUrl) => {
  test('the target has all of the source', async () => {
    const url = await newUrl();
    await makeDatabase(url, whole);
    const written = await openSource(engineOf(url), optionsOf(url), true);
    expect(differences(await tally(whole, quietly), await tally(written, quietly))).toEqual([]);
    expect(outlineDifferences(whole.outline, written.outline)).toEqual([]);
    await written.close();
  });

  test('a source that is not as promised, or is stopped, leaves the target empty', async () => {
    const url = await newUrl();
    const expected = new Map([['items', { count: 2, sha256: 'another' }]]);
    const wrong = await target(url);
    await expect(transfer(whole, wrong, { ...quietly, expected })).rejects.toThrow('The SHA-256 of items is not');
    await wrong.close();
    const fewer = await target(url);
    const more = new Map([['items', { count: 3, sha256: '' }]]);
    await expect(transfer(whole, fewer, { ...quietly, expected: more })).rejects.toThrow('items has 2 records, and');
    await fewer.close();
    const stopping = new AbortController();
    const stopped = await target(url);
    const onVerify = () => stopping.abort(new Error('stopped'));
    await expect(transfer(whole, stopped, { ...quietly, onVerify, signal: stopping.signal })).rejects.toThrow(
      'stopped',
    );
    await stopped.close();
    await makeDatabase(url, whole);
  });

  test('a target that is not empty is refused', async () => {
    const url = await newUrl();
    await makeDatabase(url, whole);
    await expect(target(url)).rejects.toThrow('is not empty (items has 2 records): choose another.');
  });
});
