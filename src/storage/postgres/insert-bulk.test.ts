/** A bulk on a fake connection whose answers, errors and delays the test sets. */
import { afterEach, expect, jest, test } from 'bun:test';
import { openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReservedSQL } from 'bun';
import { temporaryFolder } from '../../../test/folder.ts';
import { keyStatements } from './history-sql.ts';
import { addAll } from './insert-bulk.ts';
import { ShownChanges } from './shown-changes.ts';

const timeoutMs = 60_000;
const path = join(temporaryFolder(), 'records');
writeFileSync(path, '{"id":1}\n');
const spooled = { fd: openSync(path, 'r'), size: 9 };

afterEach(() => {
  jest.useRealTimers();
});

/** Adds one record with a new idempotency key; `write` returns the result of the function that writes. */
function addOne({ write, onLookUp = () => {} }: { write(): string; onLookUp?(): void }) {
  const asked: string[] = [];
  const done = { closed: false };
  async function answer(statement: string): Promise<unknown[][]> {
    if (statement.startsWith('select write')) return [[write()]];
    if (statement !== keyStatements.find) return [[true]];
    onLookUp();
    return [];
  }
  const connection = {
    unsafe(statement: string) {
      asked.push(statement);
      return { values: () => answer(statement) };
    },
    close: () => {
      done.closed = true;
    },
  } as unknown as ReservedSQL;
  const added = addAll(
    connection,
    {
      to: 'items',
      spooled,
      by: undefined,
      once: { key: 'k', digest: 'd', keptMs: 1000 },
      isDry: false,
      table: undefined,
    },
    { writeFunction: 'write', timeoutMs, noticed: new ShownChanges(() => {}), isAwaited: () => true },
  );
  return { added, asked, done };
}

const written = JSON.stringify({ at: '', last: null, epoch: null, outcomes: [7] });

test.each([
  ['refuses a record, the bulk is rolled back and its connection stays open', '23514', false],
  ['has become read-only, the bulk is rolled back and its connection is closed', '25006', true],
])('if the database %s', async (_, errno, closes) => {
  const { added, asked, done } = addOne({
    write: () => {
      throw Object.assign(new Error('refused'), { errno });
    },
  });
  await expect(added).rejects.toMatchObject({ errno });
  expect(asked.at(-1)).toBe('rollback');
  expect(done.closed).toBe(closes);
});

test('while other writes wait, a bulk is limited to half of their timeout', async () => {
  jest.useFakeTimers();
  const after = (ms: number) => addOne({ write: () => written, onLookUp: () => jest.advanceTimersByTime(ms) });
  const withDeadline = after(timeoutMs / 2);
  expect(await withDeadline.added).toEqual({ created: 1, first: 7, last: 7 });
  expect(withDeadline.asked.at(-1)).toBe('commit');
  const late = after(timeoutMs / 2 + 1);
  await expect(late.added).rejects.toMatchObject({ code: 'timed_out', detail: expect.stringContaining('30000 ms') });
  expect(late.asked.at(-1)).toBe('rollback');
});
