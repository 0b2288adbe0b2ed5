import { expect, test } from 'bun:test';
import { Tags } from './tags.ts';

test('an ETag stands for one body', () => {
  const tags = new Tags();
  const add = (tag: string | undefined, body: string) => tags.add(tag, Buffer.from(body));
  expect(add('"1"', '[1]')).toBeUndefined();
  expect(add('"1"', '[1]')).toBeUndefined();
  expect(add('"2"', '[2]')).toBeUndefined();
  expect(tags.distinct).toBe(2);
  expect(add('"1"', '[2]')).toStartWith('ETag "1": 3 bytes with digest');
  expect(add('"1"', '[1] ')).toInclude('now 4 bytes');
  expect(add(undefined, '[1]')).toBe('has no ETag');
});
