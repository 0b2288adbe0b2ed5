import { expect, test } from 'bun:test';
import { similar, suggestion } from './suggest.ts';

const known = ['check', 'move', 'migrate', 'backup'];

test.each([
  ['chek', 'check'],
  ['ckeck', 'check'],
  ['checkk', 'check'],
  // Neighbours that are swapped are one mistake.
  ['mvoe', 'move'],
  ['imgrate', 'migrate'],
  ['mirgaet', 'migrate'],
])('%s is %s', (word, meant) => {
  expect(similar(word, known)).toBe(`; did you mean "${meant}"?`);
});

test('a word that is like none of them gets none, or all of them', () => {
  for (const word of ['serve', 'mv', '']) expect(similar(word, known)).toBeUndefined();
  expect(suggestion('serve', known)).toBe('; known: check, move, migrate, backup');
});
