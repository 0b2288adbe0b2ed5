import { expect, test } from 'bun:test';
import { totalmem } from 'node:os';
import { readCommand } from '../config/config.ts';
import { autoCache, limitFiles, parseLimit, usableMemory } from './memory-limit.ts';

test('cgroup version 2: the limits of the group and of all its parents', () => {
  expect(limitFiles('0::/system.slice/shelf.service\n')).toEqual([
    '/sys/fs/cgroup/memory.max',
    '/sys/fs/cgroup/memory.high',
    '/sys/fs/cgroup/system.slice/memory.max',
    '/sys/fs/cgroup/system.slice/memory.high',
    '/sys/fs/cgroup/system.slice/shelf.service/memory.max',
    '/sys/fs/cgroup/system.slice/shelf.service/memory.high',
  ]);
});

test('cgroup version 1: the limits of the memory hierarchy, also if it is shared with another controller', () => {
  const text = '12:cpu,cpuacct:/a\n4:memory,hugetlb:/docker/0a1b:2\n1:name=systemd:/a\n';
  expect(limitFiles(text)).toEqual([
    '/sys/fs/cgroup/memory/memory.limit_in_bytes',
    '/sys/fs/cgroup/memory/docker/memory.limit_in_bytes',
    '/sys/fs/cgroup/memory/docker/0a1b:2/memory.limit_in_bytes',
  ]);
});

test('in a container the group is the root', () => {
  expect(limitFiles('0::/\n')).toContain('/sys/fs/cgroup/memory.max');
  expect(limitFiles('4:memory:/\n')).toContain('/sys/fs/cgroup/memory/memory.limit_in_bytes');
});

test.each(['', 'nonsense', '0:memory', '::'])('%j names no group', (text) => {
  expect(limitFiles(text)).toEqual([]);
});

test.each<[string, number | undefined]>([
  ['268435456\n', 268435456],
  ['9223372036854771712\n', Number('9223372036854771712')],
  ['max\n', undefined],
  ['', undefined],
])('a limit of %j is %p', (text, limit) => {
  expect(parseLimit(text)).toBe(limit);
});

test('the cache is a quarter of the memory, and at most 256 MiB', () => {
  expect(autoCache(256 * 1024 ** 2)).toBe(64 * 1024 ** 2);
  expect(autoCache(64 * 1024 ** 3)).toBe(256 * 1024 ** 2);
  const command = readCommand([], {});
  expect('config' in command && command.config.database.cache).toBe(autoCache(usableMemory()));
});

test('the usable memory is at most that of the machine', () => {
  expect(usableMemory()).toBeGreaterThan(0);
  expect(usableMemory()).toBeLessThanOrEqual(totalmem());
});
