/** A bulk on a fake connection whose answers, errors and delays the test sets. */
import { afterEach, expect, jest, test } from 'bun:test';
import { openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReservedSQL } from 'bun';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { items } from '../../../collections/items.ts';
import { SeenChanges } from '../primary/seen-changes.ts';
import { keyStatements } from '../statements/changes.ts';
import { type CopyTable, copyTable } from '../statements/copy-table.ts';
import { addAll, CommitFailed } from './insert-bulk.ts';

const timeoutMs = 60_000;
const path = join(temporaryFolder(), 'records');
writeFileSync(path, '{"id":1}\n');
const spooled = { fd: openSync(path, 'r'), size: 9 };

afterEach(() => {
  jest.useRealTimers();
});

type Case = {
  write(): string;
  onLookUp?(): void;
  table?: CopyTable | undefined;
  confirm?(): Promise<void> | undefined;
};

/** Adds one record with a new idempotency key; `write` returns the result of the function that writes. */
function addOne({ write, onLookUp = () => {}, table, confirm = () => undefined }: Case) {
  const asked: string[] = [];
  const done = { closed: false };
  /** Bytes of each message of a COPY. */
  const messages: number[] = [];
  async function answer(statement: string): Promise<unknown[][]> {
    if (statement.startsWith('select write')) return [[write()]];
    if (statement.startsWith('begin;')) return [[], [], [[true]]];
    if (statement !== keyStatements.find) return [[true]];
    onLookUp();
    return [];
  }
  const connection = {
    unsafe(statement: string) {
      asked.push(statement);
      const abort = () => void asked.push('abort');
      const write = ({ length }: Uint8Array) => void messages.push(length);
      return { values: () => answer(statement), writable: () => new WritableStream({ abort, write }) };
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
      once: { key: 'k', digest: 'd', former: 'f', keptMs: 1000 },
      isDry: false,
      table,
    },
    {
      writeFunction: 'write',
      timeoutMs,
      noticed: new SeenChanges(() => {}),
      isAwaited: () => true,
      confirm,
      onAbandoned: () => {},
    },
  );
  return { added, asked, done, messages };
}

const written = JSON.stringify({ at: '2026-11-16T11:51:04.123Z', last: null, epoch: null, outcomes: [7] });

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

test('if a record cannot be encoded, its COPY is aborted, and the bulk is rolled back', async () => {
  const table = copyTable(items);
  if (table === undefined) throw new Error('items refer to no items');
  const recordRows = () => () => {
    throw new Error('not encoded');
  };
  const { added, asked, done } = addOne({ write: () => written, table: { ...table, recordRows } });
  await expect(added).rejects.toThrow('not encoded');
  expect(asked.slice(-3)).toEqual([expect.stringContaining('copy "items"'), 'abort', 'rollback']);
  expect(done.closed).toBe(false);
});

test('large records are sent in several messages, each of which shows that the bulk goes on', async () => {
  const table = copyTable(items);
  if (table === undefined) throw new Error('items refer to no items');
  const recordRows = () => () => new Uint8Array(150_000);
  const { added, messages } = addOne({ write: () => written, table: { ...table, recordRows } });
  // The connection gives no numbers.
  await expect(added).rejects.toThrow('the last number is');
  expect(messages.slice(0, 3)).toEqual([65_536, 65_536, 18_928]);
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

test('a bulk whose server is not the primary any more after the commit has failed', async () => {
  const confirmed: string[] = [];
  const { added, asked } = addOne({
    write: () => written,
    confirm: async () => {
      confirmed.push(...asked.slice(-1));
      throw new Error('another server is the primary');
    },
  });
  await expect(added).rejects.toBeInstanceOf(CommitFailed);
  expect([confirmed, asked.at(-1)]).toEqual([['commit'], 'commit']);
});
