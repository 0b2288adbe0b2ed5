import { expect, test } from 'bun:test';
import { join } from 'node:path';

/** Runs in its own process, because raising a lowered priority again needs privileges. */
function priorityFrom(before: number): number {
  const script = `
    import { getPriority, setPriority } from 'node:os';
    import { lowerPriority } from ${JSON.stringify(join(import.meta.dir, 'lower-priority.ts'))};
    setPriority(0, ${before});
    lowerPriority();
    console.log(getPriority(0));`;
  return Number(Bun.spawnSync([process.execPath, '-e', script]).stdout.toString());
}

test('the priority is lowered on Linux, where a thread has its own, and never raised', () => {
  expect(priorityFrom(1)).toBe(process.platform === 'linux' ? 10 : 1);
  expect(priorityFrom(15)).toBe(15);
});
