import { expect, test } from 'bun:test';
import { folded, sameWhenFolded } from './case-folding.ts';

const all = Array.from({ length: 0x20000 }, (_, code) => String.fromCodePoint(code)).filter((one) =>
  one.isWellFormed(),
);
const cased = all.filter((one) => one.toLowerCase() !== one || one.toUpperCase() !== one);

test('characters are the same when folded exactly if a regular expression that ignores case says so', () => {
  // The flags i and u stand for simple case folding.
  const text = all
    .filter((one) => /\p{Cased}|\p{Changes_When_Casefolded}|\p{Changes_When_Casemapped}/u.test(one))
    .join('\n');
  for (const character of cased) {
    const found = new Set(text.match(new RegExp(`\\u{${character.codePointAt(0)?.toString(16)}}`, 'giu')));
    expect([...sameWhenFolded(character)].sort()).toEqual([...found].sort());
  }
});

test('folding makes exactly those equal', () => {
  for (const character of cased)
    for (const other of sameWhenFolded(character)) expect(folded(other)).toBe(folded(character));
  expect(folded('Straße ΣΊΣΥΦΟΣ İstanbul')).toBe('straße σίσυφοσ İstanbul');
  expect(folded('\u{10400}A')).toBe('\u{10428}a');
});

test('characters without case are only the same as themselves', () => {
  for (const one of ['1', '%', '語', '\u{1f600}', 'ı']) expect(sameWhenFolded(one)).toEqual([one]);
});
