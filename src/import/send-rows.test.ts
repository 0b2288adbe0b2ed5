import { expect, test } from 'bun:test';
import { failureOf, Unreachable } from '../cli/import-file/target/import-target.ts';
import { Failure, type Problem } from '../domain/errors.ts';
import type { GoodRow, RefusedRow } from './rows.ts';
import { countsWith, noCounts, sendRows } from './send-rows.ts';

const rows: GoodRow[] = [3, 5, 8].map((line) => ({ line, source: `row ${line}`, json: '{}' }));

/** The lines of each attempt, and the rows that were left out. */
async function sent(...failures: readonly Error[]) {
  const attempts: number[][] = [];
  const refused: RefusedRow[] = [];
  const result = await sendRows(rows, {
    failureOf,
    async send(some) {
      attempts.push(some.map(({ line }) => line));
      const failure = failures[attempts.length - 1];
      if (failure !== undefined) throw failure;
      return 'done';
    },
    onRefused: async (some) => void refused.push(...some),
  });
  return { result, attempts, refused };
}
const clash = (...problems: Problem[]) => new Failure('already_exists', { problems });

test('rows at fault are left out, by their lines in the file, and the others are sent', async () => {
  const message = 'must be unique; an earlier record of the body (number 1) has this value';
  const { result, attempts, refused } = await sent(
    clash({ field: 'isbn', message, line: 3, earlierRecord: 1 }),
    clash({ field: 'a', message: 'is one', line: 1 }, { field: undefined, message: 'is another', line: 1 }),
  );
  expect(result).toBe('done');
  expect(attempts).toEqual([[3, 5, 8], [3, 5], [5]]);
  expect(refused).toEqual([
    { line: 8, source: 'row 8', reason: 'isbn must be unique; line 3 has this value' },
    { line: 3, source: 'row 3', reason: 'a is one; is another' },
  ]);
});

test('the fields of one rule are one reason', async () => {
  const problem = { message: 'x', line: 3, earlierRecord: 1 };
  const other = { field: 'title', message: 'is short', line: 3 };
  const { refused } = await sent(clash({ field: 'book', ...problem }, other, { field: 'copy', ...problem }));
  expect(refused).toEqual([
    { line: 8, source: 'row 8', reason: 'book and copy must be unique; line 3 has these values; title is short' },
  ]);
});

test('if all rows are left out, nothing is sent', async () => {
  const all = rows.map((_, place) => ({ field: 'a', message: 'is wrong', line: place + 1 }));
  expect(await sent(clash(...all))).toMatchObject({ result: undefined, attempts: [[3, 5, 8]] });
});

test.each([
  new Failure('forbidden', { problems: [{ field: 'a', message: 'is wrong', line: 1 }] }),
  clash({ field: 'a', message: 'is wrong' }),
  clash({ field: 'a', message: 'is wrong', line: 9 }),
  new Unreachable('gone'),
  new Error('broken'),
])('a failure that names no row ends it: %#', async (error) => {
  expect(await sent(error).catch((thrown) => thrown)).toBe(error);
});

test('records are counted as added, in already, or deleted since', () => {
  let counts = countsWith(noCounts, { created: 3 });
  counts = countsWith(counts, { created: 5, earlier: { existing: 4 } });
  counts = countsWith(counts, { created: 7, earlier: {} });
  expect(counts).toEqual({ added: 3, updated: 0, present: 12, deleted: 1 });
});
