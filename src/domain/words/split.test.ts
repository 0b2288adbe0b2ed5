import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { lookupsOf, maxWordBytes, splitVersion, wordsOf } from './split.ts';
import { areFound, Words } from './words.ts';

const words = (text: string) => [...wordsOf(text)].join(' ');
const lookups = (query: string) =>
  lookupsOf(query)
    .map(({ word, isStart }) => `${word}${isStart ? '*' : ''}`)
    .join(' ');
const matches = (text: string, query: string) => areFound(lookupsOf(query), [new Words(text)]);

test.each([
  ['Borges, Jorge Luis: El Álef (1949)', 'borges jorge luis el alef 1949'],
  ["don't_stop; C++ 3.14 🎉", 'don t stop c 3 14'],
  ['STRAẞE Straße ﬁn', 'strasse fin'],
  ['ΑΘΗΝΑΣ Ἀθῆναι', 'αθηνασ αθηναι'],
  ['Ёжик ЙОД', 'ежик иод'],
  ['İzmir ılık ILIK', 'izmir ılık ilik'],
  ['مَكْتَبَة', 'مكتبة'],
  ['שָׁלוֹם', 'שלום'],
  ['हिन्दी', 'हनद'],
  ['한국어 문서', '한국어 문서'],
  ['東京都。iPhone手机', '東京 京都 都 iphone 手机 机'],
  ['ｶﾞが', 'カか か'],
  ['ไทย', 'ไท ทย ย'],
  ['ｆｕｌｌ ½ ²', 'full 1 2'],
  ['soft\u00adhyphen zero\u200bwidth', 'softhyphen zero width'],
  ['twice Twice TWICE', 'twice'],
  ['…', ''],
  ['', ''],
])('%j has the words %j', (text, expected) => {
  expect(words(text)).toBe(expected);
});

test.each([
  ['borges laby*', 'borges laby*'],
  ['laby＊ "x*" (y*)', 'laby* x* y*'],
  ['a*b * *c -d AND NOT', 'a b c d and not'],
  ['twice twice twice*', 'twice twice*'],
  // Where words are pairs, one character is the beginning of a pair, and the star says nothing.
  ['東', '東*'],
  ['東京都*', '東京 京都'],
  ['!?', ''],
])('the query %j looks for %j', (query, expected) => {
  expect(lookups(query)).toBe(expected);
});

test('each character of a script without spaces is found, and each part', () => {
  for (const query of ['東', '京', '都', '東京', '京都', '東京都']) expect(matches('in 東京都 2024', query)).toBe(true);
  for (const query of ['京東', '都京', '北']) expect(matches('東京都', query)).toBe(false);
});

test('of a long word the first 64 characters count', () => {
  expect(words('a'.repeat(1000))).toBe('a'.repeat(64));
  expect(words('𐐨'.repeat(65))).toBe('𐐨'.repeat(64));
  expect(lookups(`${'a'.repeat(70)}*`)).toBe(`${'a'.repeat(64)}*`);
});

test('of a text the first million bytes of different words are found', () => {
  const long = Array.from({ length: 120_000 }, (_, n) => `word${n}`);
  const found = wordsOf(long.join(' '));
  const bytes = [...found].reduce((sum, word) => sum + word.length, 0);
  expect([...found]).toEqual(long.slice(0, found.size));
  expect(bytes).toBeGreaterThan(maxWordBytes - 11);
  expect(bytes).toBeLessThanOrEqual(maxWordBytes);
});

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...'aßẞΣσςıİé東京ไทยकि한*ﬁ ̈-\u200b\ufdfa') }),
);

test('a text has all that is in it, however it is normalized and in every case', () => {
  fc.assert(
    fc.property(text, (one) => {
      const [found, query] = [wordsOf(one), lookupsOf(one)];
      expect(areFound(query, [new Words(one)])).toBe(true);
      for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'] as const) expect(wordsOf(one.normalize(form))).toEqual(found);
      // Words are as they are when they are split again.
      for (const word of found) expect(word).toMatch(/^[^A-Z\s!-/:-@[-`{-\x7f]+$/);
    }),
  );
});

/** If this fails, results have changed: raise the version, so that every database is indexed again. A version of Unicode is a part of it. */
test('the version has these results for all characters', () => {
  const hasher = new Bun.CryptoHasher('sha256');
  for (let block = 0; block < 0x110000; block += 64) {
    const codes = Array.from({ length: 64 }, (_, at) => block + at).filter((code) => code < 0xd800 || code > 0xdfff);
    hasher.update(`${words(codes.map((code) => `x${String.fromCodePoint(code)}y`).join(' '))}\n`);
  }
  expect([splitVersion, process.versions.unicode, hasher.digest('hex').slice(0, 16)]).toEqual([
    1,
    '17.0',
    '9048f8228faa0639',
  ]);
});
