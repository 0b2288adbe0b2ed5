/** A server that reports the size of its objects after a collection of all garbage. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../test/process.ts';

/** Settings of collect.ts. */
export const [collectInto, collectEveryMs] = ['SOAK_COLLECT_INTO', 'SOAK_COLLECT_EVERY_MS'];

/** How to start the server from its source. */
export function collectingServer(file: string, everyMs: number) {
  return {
    command: [process.execPath, '--preload', join(import.meta.dir, 'collect.ts'), join(root, 'src/cli/main.ts')],
    env: { [collectInto]: file, [collectEveryMs]: String(everyMs) },
  };
}

/**
 * In MB, of all threads together; 0 before the first collection. The contents of strings and buffers do not count: on SQLite the
 * records are in a buffer that every thread counts, and that grows in large steps until removed records are cleared from it.
 */
export function liveMegabytes(file: string): number {
  if (!existsSync(file)) return 0;
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const last = new Map(lines.map((line) => line.split(' ') as [thread: string, bytes: string]));
  return [...last.values()].reduce((sum, bytes) => sum + Number(bytes), 0) / 2 ** 20;
}
