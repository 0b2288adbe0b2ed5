import { describe, expect, test } from 'bun:test';
import {
  contentsOf,
  createdChange,
  itemsNamed,
  makeDatabase,
  optionsOf,
  quietly,
} from '../../../test/support/data/made-database.ts';
import { engineOf } from '../../../test/support/servers/engine.ts';
import { lastingEngines } from '../../../test/support/servers/engines.ts';
import { type Contents, changesTable } from '../transfer/contents.ts';
import { openVerifySource } from './open-verify-source.ts';
import { verify } from './verify.ts';

const records = itemsNamed('one', 'two', 'three');
const changes = records.map((record, place) => createdChange(place + 1, record));

test('memory has nothing to verify', async () => {
  await expect(openVerifySource(engineOf('memory:'), optionsOf('here'))).rejects.toThrow('memory: stores nothing');
});

describe.each(lastingEngines())('%s', (_, newUrl) => {
  async function found(contents: Contents, signal = quietly.signal) {
    const url = await newUrl();
    await makeDatabase(url, contents);
    const source = await openVerifySource(engineOf(url), optionsOf(url));
    const steps: string[] = [];
    let rows = 0;
    try {
      const options = {
        onRows: (count: number) => (rows += count),
        onStep: (step: string) => steps.push(step),
        signal,
      };
      const { lines } = await verify(source, options);
      return { lines, steps, rows };
    } finally {
      await source.close();
    }
  }

  test('in a sound database nothing is found', async () => {
    const steps = ['integrity', 'records'];
    expect(await found(contentsOf(records, { changes }))).toEqual({ lines: [], steps, rows: 3 });
  });

  test('nor in one with a transaction, whose first changes may be trimmed', async () => {
    const whole = changes.map((row) => {
      const at = (name: string) => changesTable.columns.indexOf(name);
      return row.with(at('transaction_first'), 1).with(at('transaction_size'), 3);
    });
    expect((await found(contentsOf(records, { changes: whole }))).lines).toEqual([]);
    const { outline, ...rest } = contentsOf(records, { changes: whole.slice(1) });
    expect((await found({ ...rest, outline: { ...outline, trimmed: 1 } })).lines).toEqual([]);
  });

  test('a change of a record that is missing is found before, between and after the others', async () => {
    const missing = (recordId: number) =>
      `items ${recordId}: is missing, though its last change (${recordId}) is not its deletion`;
    for (const recordId of [1, 2, 3]) {
      const contents = contentsOf(records.toSpliced(recordId - 1, 1), { changes });
      expect((await found(contents)).lines).toEqual([missing(recordId)]);
    }
  });

  test('large changes are compared, each of them', async () => {
    const large = itemsNamed(...Array.from({ length: 5 }, (_, n) => String(n).repeat(500_000)));
    const contents = contentsOf([], { changes: large.map((record, place) => createdChange(place + 1, record)) });
    expect((await found(contents)).lines.map((line) => line.slice(0, 19))).toEqual(
      [1, 2, 3, 4, 5].map((recordId) => `items ${recordId}: is missing`),
    );
  });

  test('wrong numbers are found', async () => {
    const contents = contentsOf(records, { changes });
    const parts = contents.outline.parts.map((part) => ({ ...part, last: 2 }));
    const outline = { ...contents.outline, parts, trimmed: 1, changes: { kept: 3, last: 2 } };
    expect((await found({ ...contents, outline })).lines).toEqual([
      'items 3: its id was never given out (the last is 2)',
      'change 1 is there, though the history is trimmed up to 1',
      'change 3 is there, and the last number given to one is 2',
    ]);
  });

  test('a stop ends it', async () => {
    const stopped = found(contentsOf(records, { changes }), AbortSignal.abort(new Error('stopped')));
    await expect(stopped).rejects.toThrow('stopped');
  });
});
