import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/errors.ts';
import type { Unchanged } from '../../../domain/store/transaction.ts';
import { contentTag } from '../../content-tag.ts';
import type { VersionPrecondition } from '../batch/members.ts';
import { removeFirst } from './removal.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const tag = (text: string) => contentTag(bytes(text));

/** A fake database: `states` are the record at each read, `answers` the outcomes of the removals in `calls`. */
function database(states: readonly (string | undefined)[], answers: readonly ('done' | Unchanged)[]) {
  const calls: [number | undefined, VersionPrecondition][] = [];
  let reads = 0;
  return {
    calls,
    read: async () => {
      const text = states[Math.min(reads++, states.length - 1)];
      return text === undefined ? undefined : { recordId: 7, version: reads, bytes: bytes(text) };
    },
    remove: async (first: number | undefined, versions: VersionPrecondition) => {
      calls.push([first, versions]);
      return answers[Math.min(calls.length, answers.length) - 1] ?? 'missing';
    },
  };
}

const version = (one: number): VersionPrecondition => ({ match: [one], noneMatch: undefined });

test('the record that was compared is deleted, or the comparison is repeated', async () => {
  const same = database(['a', 'a'], ['conflict', 'done']);
  const meant = { match: [tag('a')], noneMatch: undefined };
  expect(await removeFirst(meant, 1000, same.read, same.remove)).toBe('done');
  expect(same.calls).toEqual([
    [7, version(1)],
    [7, version(2)],
  ]);

  const changed = database(['a', 'b'], ['conflict', 'done']);
  expect(await removeFirst(meant, 1000, changed.read, changed.remove)).toBe('conflict');
  expect(changed.calls.length).toBe(1);

  const gone = database(['a', undefined], ['conflict', 'done']);
  expect(await removeFirst(meant, 1000, gone.read, gone.remove)).toBe('missing');
});

test('without a tag to compare, nothing is read', async () => {
  const { calls, read, remove } = database([], ['done']);
  await removeFirst(undefined, 1000, read, remove);
  await removeFirst({ match: [], noneMatch: '*' }, 1000, read, remove);
  expect(calls).toEqual([
    [undefined, undefined],
    [undefined, { match: undefined, noneMatch: '*' }],
  ]);
});

test('a record that changes before every removal fails at the timeout, with nothing changed', async () => {
  const restless = database(['a'], ['conflict']);
  const deletion = removeFirst({ match: undefined, noneMatch: [tag('b')] }, 20, restless.read, restless.remove);
  const failure = await deletion.catch((error) => error);
  expect(failure).toBeInstanceOf(Failure);
  expect(failure.code).toBe('storage_unavailable');
});
