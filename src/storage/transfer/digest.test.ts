import { expect, test } from 'bun:test';
import { apiKey, contentsOf, createdChange, itemsNamed, quietly } from '../../../test/support/data/made-database.ts';
import { differences, outlineDifferences, tally, tallying } from './digest.ts';

const records = itemsNamed('one', 'two');
const changes = records.map((record, place) => createdChange(place + 1, record));
const whole = contentsOf(records, { changes, api_keys: [apiKey] });

test('equal contents have equal tallies, however they are divided into batches', async () => {
  const single = { ...whole, records: () => records.map((record) => [record]) };
  const tallies = await tally(whole, quietly);
  expect([...tallies].map(([name, { count }]) => [name, count])).toEqual([
    ['items', 2],
    ['changes', 2],
    ['api keys', 1],
    ['idempotency keys', 0],
  ]);
  expect(differences(tallies, await tally(single, quietly))).toEqual([]);
});

test('another value and another count are differences', async () => {
  const other = contentsOf(itemsNamed('one', 'TWO'), { changes: changes.slice(1), api_keys: [apiKey] });
  expect(differences(await tally(whole, quietly), await tally(other, quietly))).toEqual([
    'items: the digests differ',
    'changes: 2 at the source, 1 at the target',
  ]);
});

test('rows are counted by kind once they are taken, and an abort stops between two batches', async () => {
  const stopping = new AbortController();
  const counts: [number, string][] = [];
  const single = { ...whole, records: () => records.map((record) => [record]) };
  const { records: read, tallies } = tallying(single, {
    onRows: (rows, kind) => {
      counts.push([rows, kind]);
      stopping.abort(new Error('stopped'));
    },
    signal: stopping.signal,
  });
  const batches = read(single.outline.parts[0]?.collection as never);
  expect((await batches.next()).value).toEqual(records.slice(0, 1));
  expect(counts).toEqual([]);
  await expect(batches.next()).rejects.toThrow('stopped');
  expect(counts).toEqual([[1, 'record']]);
  expect(tallies.size).toBe(0);
});

test('numbers and settings are compared, and the counts of an outline are not', () => {
  const { outline } = whole;
  expect(outlineDifferences(outline, { ...outline, changes: { kept: 0, last: 2 } })).toEqual([]);
  const other = { ...outline, secret: 'x', trimmed: 1, gaps: [[0, 1]] as const, changes: { kept: 2, last: 3 } };
  expect(outlineDifferences(outline, { ...other, parts: [], declarations: {} })).toEqual(
    [
      'declarations',
      'highest ids',
      'number of the last change',
      'trimmed history',
      'gaps in the history',
      'cursor secret',
    ].map((name) => `${name}: not the same`),
  );
});
