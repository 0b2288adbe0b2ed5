import { expect, test } from 'bun:test';
import { linesOf, mutantsOf, mutated } from './mutants.ts';

const variants = (source: string) => mutantsOf(source).map((mutant) => mutated(source, mutant));

test('every condition, operator, literal and statement is changed once in each way', () => {
  expect(variants('if (a < 1) b();')).toEqual([
    'if (true) b();',
    'if (false) b();',
    'if (a <= 1) b();',
    'if (a < 2) b();',
    'if (a < 1) ;',
  ]);
  expect(variants('const a = b ?? c;')).toEqual(['const a = b;']);
  expect(variants('const a = !b && c;')).toEqual(['const a = !b || c;', 'const a = b && c;']);
  expect(variants('const a = b ? c : d;')).toEqual(['const a = true ? c : d;', 'const a = false ? c : d;']);
  expect(variants("const a = b.some(c, 'd');")).toEqual(["const a = b.every(c, 'd');", "const a = b.some(c, '');"]);
  expect(variants('const a = (b) + c, d = true;')).toEqual([
    'const a = (b) - c, d = true;',
    'const a = (b) + c, d = false;',
  ]);
});

test('names and types are not mutated', () => {
  const source = `import a from './a.ts';
type B = { readonly c: 1 | 'd' };
export * from './e.ts';
const f = a as 'g';
const h = { 'i-j': a };`;
  expect(variants(source)).toEqual([]);
  expect(variants('const a = `b` + c;')).toEqual([]);
});

test('a mutant is reported with its line', () => {
  const source = 'first();\nif (a) {\n  b();\n}\n';
  const [, second] = mutantsOf(source);
  expect(second && linesOf(source, second)).toEqual({ line: 2, was: 'if (a) {', is: 'if (true) {' });
});
