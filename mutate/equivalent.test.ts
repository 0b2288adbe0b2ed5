/** Every mutant that is listed as equivalent still exists in the source. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import equivalents from './equivalent.json' with { type: 'json' };
import { linesOf, mutantsOf } from './mutants.ts';

test.each(equivalents)('$file: $is', ({ file, was, is, why }) => {
  const source = readFileSync(join(import.meta.dir, '..', file), 'utf8');
  const mutants = mutantsOf(source).map((mutant) => linesOf(source, mutant));
  expect(mutants.some((mutant) => mutant.was === was && mutant.is === is)).toBe(true);
  expect(why.length).toBeGreaterThan(20);
});
