import { expect, test } from 'bun:test';
import { type Batch, batchesOf } from './cut-batches.ts';
import type { GoodRow, RefusedRow } from './rows.ts';

/** A row so large that its batch ends. */
const large = 'x'.repeat(4 * 1024 * 1024);

/** Batches of two rows. A row is one character: `!` is refused, `x` stands for a large row, and nothing is read after `.`. */
const batches = (...pieces: string[]) => batchesOfFile(pieces.join('').length, pieces);

/** `size` is that of the file when it was opened. */
function batchesOfFile(size: number, pieces: readonly string[]): Promise<Batch[]> {
  let line = 0;
  function rowOf(source: string): GoodRow | RefusedRow {
    const row = { line: ++line, source: source === 'x' ? large : source };
    if (source === '.') return { ...row, reason: 'over', isFinal: true };
    return source === '!' ? { ...row, reason: 'wrong' } : { ...row, json: `"${source}"` };
  }
  const source = {
    name: 'file',
    size,
    async *pieces() {
      for (const piece of pieces) yield Buffer.from(piece);
    },
  };
  const reader = {
    push: (bytes: Uint8Array) => [...new TextDecoder().decode(bytes)].map(rowOf),
    end: () => [],
    layout: () => ({ format: 'lines', separator: '', header: '' }) as const,
    meaning: () => ['lines', []],
  };
  const newHash = () => new Bun.CryptoHasher('sha256');
  return Array.fromAsync(batchesOf({ source, readerFor: () => reader, newHash, rows: 2 }));
}

const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');

test('a key is the digest of the key before it and the rows, and the first one begins with the digest of the meaning', async () => {
  const first = sha256(`${sha256('["lines",[]]')}\na\n!`);
  const second = sha256(`${first}\nb`);
  for (const pieces of [['a!b'], ['a', '!b'], ['a!', 'b'], ['a', '!', 'b']])
    expect((await batches(...pieces)).map(({ key }) => key)).toEqual([first, second]);
});

test('a batch has its rows, its first line and the part of the file that is read', async () => {
  const [one, other] = await batches('a!', 'b');
  expect(one).toMatchObject({ line: 1, share: 2 / 3 });
  expect(one?.good.map(({ source }) => source)).toEqual(['a']);
  expect(one?.refused.map(({ source }) => source)).toEqual(['!']);
  expect(other).toMatchObject({ line: 3, share: 1 });
});

test('a batch ends with fewer rows if they are large', async () => {
  expect((await batches('axxbc')).map(({ good }) => good.length)).toEqual([2, 1, 2]);
});

test('of a file that grows while it is read, no more than all is read', async () => {
  expect((await batchesOfFile(3, ['ab', 'cd', 'e'])).map(({ share }) => share)).toEqual([2 / 3, 1, 1]);
});

test('nothing is read after a final row, which is not part of the key', async () => {
  const all = await batches('ab', 'c.', 'ef');
  expect(all.map(({ good }) => good.length)).toEqual([2, 1]);
  expect(all[1]?.refused).toEqual([{ line: 4, source: '.', reason: 'over', isFinal: true }]);
  expect(all[1]?.key).toBe((await batches('abc'))[1]?.key ?? '');
  expect(await batches()).toEqual([]);
});
