import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { patternOf } from './pattern.ts';

/** Whether the pattern has a table, and matches the texts that RegExp matches. */
function expectSame(source: string, texts: readonly string[]): void {
  const [pattern, expression] = [patternOf(source), new RegExp(source, 'u')];
  const results = (test: ((text: string) => boolean) | undefined) => texts.map((text) => [text, test?.(text)]);
  expect([source, pattern?.slow, results(pattern?.test)]).toEqual([
    source,
    undefined,
    results((text) => expression.test(text)),
  ]);
}

/** Characters at the borders of the sets that a pattern can name. */
const characters = [
  ...['a', 'b', 'c', 'z', 'A', 'Z', '0', '9', '_', '-', ' ', '!', '/', '\\', ']', '^', '$', '.', '{', 'k', 's'],
  ...[
    '\t',
    '\n',
    '\v',
    '\f',
    '\r',
    '\b',
    '\u001f',
    '\u0085',
    '\u00a0',
    '\u00e9',
    '\u017f',
    '\u1680',
    '\u180e',
    '\u200b',
  ],
  ...['\u2028', '\u2029', '\u202f', '\u205f', '\u212a', '\u3000', '\ud7ff', '\ue000', '\ufeff', '\uffff', '\u0436'],
  ...['\u{10000}', '\u{1f600}', '\u{1d4b3}', '\u{10ffff}'],
];

const single = [
  ...['.', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\p{L}', '\\P{L}', '\\p{Lu}', '\\p{Script=Greek}', '\\p{ASCII}'],
  ...[
    '[]',
    '[^]',
    '[a-c]',
    '[^a-c]',
    '[\\w-]',
    '[-a]',
    '[--0]',
    '[\\b]',
    '[\\d\\s]',
    '[^\\d\\p{Lu}]',
    '[\\]\\\\^]',
    '[$.*]',
  ],
  ...[
    '\\u0061',
    '\\u{1f600}',
    '\\ud83d\\ude00',
    '[\\ud83d\\ude00-\\u{10ffff}]',
    '\\x41',
    '\\cJ',
    '[\\cM]',
    '\\0',
    '\\t',
  ],
  ...['\\n', '\\v', '\\f', '\\r', '\\/', '-', '\\.', '\\$', '\\{', '\\]', '\u{1f600}', '[\u{1f600}\u00e9]', '\\ud83d'],
  ...[
    '\\P{Lu}',
    '\\p{Emoji}',
    '\\p{Cn}',
    '[\\p{L}\\p{N}_]',
    '[\\s\\S]',
    '[^\\S]',
    '[\\W_]',
    '[!-~]',
    '[^!-~]',
    '[\\-a]',
  ],
];

test.each(single)('the set %s', (set) => {
  expectSame(set, ['', ...characters, 'ab', 'a\n']);
  expectSame(`^${set}$`, ['', ...characters, 'ab', '\u{1f600}a']);
});

test('every character of the first plane is in the sets that it is in for RegExp', () => {
  const sets = ['\\s', '\\w', '\\d', '.', '\\p{L}', '[^\\p{Lu}\\d-]'];
  const tests = sets.map((set) => [patternOf(set), new RegExp(set, 'u')] as const);
  const wrong: string[] = [];
  for (let code = 0; code < 0x10000; code++) {
    const text = String.fromCharCode(code);
    if (text.isWellFormed() && tests.some(([pattern, expression]) => pattern?.test(text) !== expression.test(text)))
      wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});

test.each<[string, readonly string[]]>([
  ['', ['', 'a']],
  ['a|b|', ['', 'c']],
  ['^$', ['', 'a', '\n']],
  ['^a|b$', ['ax', 'xb', 'xa', 'bx', 'a\nb', '\na']],
  ['(?:^a|b$)c?', ['a', 'b', 'xb', 'xa']],
  ['(?<year>\\d{4})-(?<month>\\d\\d)', ['2026-11', 'x2026-11y', '202-11']],
  ['^[0-9]{13}$', ['9781234567890', '978123456789', '97812345678901', '978123456789x', '9781234567890\n']],
  ['^a{2}$', ['a', 'aa', 'aaa']],
  ['^a{2,}?$', ['a', 'aa', 'aaa']],
  ['^a{0,2}b{1,3}?$', ['', 'b', 'ab', 'aab', 'aaab', 'abbb', 'abbbb']],
  ['^(?:a{0}b)+$', ['', 'b', 'bb', 'ab']],
  ['^(?:a?){3}$', ['', 'a', 'aaa', 'aaaa']],
  ['^(?:|a)+b$', ['b', 'aab', 'a']],
  ['\\bfoo\\b', ['foo', 'a foo!', 'afoo', 'food', 'foo_', 'foo\u00e9']],
  ['\\B', ['', 'a', 'ab', '!', '!!']],
  ['^\\B-\\b', ['-a', '--', 'a-a']],
  ['a\\b.\\b', ['a', 'a!', 'a!b', 'ab!']],
  ['(?:a|\\b)*$', ['', 'a', '!']],
  ['^(?:a+b?)+$', ['aab', 'aabb', '']],
  ['[ab]{3}c', ['abac', 'xababc', 'abc']],
  ['.{3}', ['ab', 'abc', 'a\nbc', '\u{1f600}\u{1f600}\u{1f600}', '\u{1f600}a']],
])('%s', (source, texts) => {
  expectSame(source, texts);
});

test('random patterns match what RegExp matches', () => {
  const { string, part } = fc.letrec<{ part: string; string: string }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(...single, 'a', 'b', 'ab', '^', '$', '\\b', '\\B'),
      fc.tuple(fc.constantFrom('(', '(?:'), tie('string')).map(([open, inside]) => `${open}${inside})`),
      fc
        .tuple(
          fc.oneof(
            fc.constantFrom('a', 'b', ...single),
            tie('string').map((inside) => `(?:${inside})`),
          ),
          fc.constantFrom('*', '+', '?', '*?', '{2}', '{1,}', '{0,2}', '{1,3}?'),
        )
        .map(([repeated, quantifier]) => `${repeated}${quantifier}`),
    ),
    string: fc
      .array(fc.array(tie('part'), { maxLength: 3 }), { minLength: 1, maxLength: 2 })
      .map((choices) => choices.map((parts) => parts.join('')).join('|')),
  }));
  expect(part).toBeDefined();
  const text = fc.string({ unit: fc.constantFrom('a', 'a', 'b', ...characters), maxLength: 8 });
  let tables = 0;
  const numRuns = 600;
  fc.assert(
    fc.property(string, fc.array(text, { minLength: 1, maxLength: 8 }), (source, texts) => {
      if (patternOf(source)?.slow === 'needs too many states') return;
      tables++;
      expectSame(source, texts);
    }),
    { numRuns },
  );
  expect(tables).toBeGreaterThan(0.95 * numRuns);
});

test('RegExp gives up where a table does not', () => {
  const pattern = patternOf('^(?:){1000000000}a');
  expect([pattern?.slow, pattern?.test('a'), pattern?.test('b')]).toEqual([undefined, true, false]);
});

test.each<[string, string]>([
  ['(?=a)', 'has a look-around, (?=...)'],
  ['a(?!b)', 'has a look-around, (?!...)'],
  ['(?<=a)b', 'has a look-around, (?<=...)'],
  ['(?<!a)b', 'has a look-around, (?<!...)'],
  ['(a)\\1', 'has a back reference, \\1'],
  ['(?<x>a)\\k<x>', 'has a back reference, \\k<x>'],
  ['(?i:a)', 'sets flags, (?i:...)'],
  ['[ab]*a[ab]{900}[cd]', 'needs too many states'],
  ['^(?:a{1000}){1000}$', 'is too large'],
  ['a{99999999}', 'is too large'],
  [`${'('.repeat(101)}a${')'.repeat(101)}`, 'has more than 100 groups inside each other'],
  ['a'.repeat(5001), 'has more than 5000 characters'],
])('%p has no table: it %s', (source, why) => {
  expect(patternOf(source)?.slow).toBe(why);
});

test.each(['^.{1,5000}$', '^[a-z]{2,63}(?:\\.[a-z]{2,63}){0,5}$', '\\d{4}-\\d{2}-\\d{2}', '^(?:[a-z]+ ?){1,20}$'])(
  '%s has a table',
  (source) => {
    expect(patternOf(source)?.slow).toBeUndefined();
  },
);

test('what RegExp refuses is no pattern', () => {
  for (const source of ['(', '[', 'a**', '\\', '{', '\\u{110000}', '(?<x>a)(?<x>b)'])
    expect(patternOf(source)).toBeUndefined();
});
