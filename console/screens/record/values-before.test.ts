import { expect, test } from 'bun:test';
import type { Change } from '../../api/feed.ts';
import { valuesBefore } from './values-before.ts';

const change = (record: object, before?: object): Change => ({
  seq: '1',
  type: 'book.updated',
  at: '',
  by: null,
  record: new Map(Object.entries(record)),
  before: before === undefined ? undefined : new Map(Object.entries(before)),
  match: undefined,
});
const shown = (values: ReturnType<typeof valuesBefore>) => values && Object.fromEntries(values);

test('a change says itself what it changed', () => {
  const own = change({ title: '"b"', pages: '9' }, { title: '"a"' });
  expect(shown(valuesBefore(own, undefined))).toEqual({ title: '"a"' });
  expect(shown(valuesBefore(own, change({ title: '"z"', pages: '1' })))).toEqual({ title: '"a"' });
});

test('one of an earlier server is compared with the change before it', () => {
  const old = change({ title: '"b"', pages: '9', state: '"draft"' });
  expect(shown(valuesBefore(old, change({ title: '"a"', pages: '9' })))).toEqual({ title: '"a"', state: 'null' });
  expect(valuesBefore(old, undefined)).toBeUndefined();
});
