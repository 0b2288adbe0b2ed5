import { expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { functionAround, instrumented } from './coverage.ts';

const source = `export const one = () => 1;
export const object = (n: number) => ({ n: [n].map((m) => m + 1) });
export function never(): number {
  return 2;
}
export class Thing {
  #value = 3;
  get value(): number {
    return this.#value;
  }
  unused(): void {}
}
`;
const name = (text: string) => functionAround(source, 'a.ts', source.indexOf(text));

test('functions that run are reported once, and return the same values', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shelf-coverage-'));
  try {
    const report = join(folder, 'called');
    const file = join(folder, 'a.ts');
    writeFileSync(file, instrumented(source, 'a.ts', report));
    const { one, object, Thing } = await import(file);
    expect([one(), one(), object(1), new Thing().value]).toEqual([1, 1, { n: [2] }, 3]);
    const called = readFileSync(report, 'utf8').trim().split('\n');
    expect(called.sort()).toEqual(['a.ts:module', name('1;'), name('n: ['), name('m + 1'), name('this.#value')].sort());
    expect(called).not.toContain(name('return 2'));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('code outside of functions belongs to the module', () => {
  expect(name('#value = 3')).toBe('a.ts:module');
});
