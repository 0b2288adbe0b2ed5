import { expect, spyOn, test } from 'bun:test';
import fc from 'fast-check';
import { alphabetOf } from './alphabet.ts';
import { graphOf } from './graph.ts';
import { patternOf } from './pattern.ts';
import { machineOf } from './steps.ts';
import { parsePattern } from './syntax.ts';
import { matches, type Walk, walkOf } from './walk.ts';

/** Ways to match: states that are remembered for all of a text, for a part of it, and for nothing. */
const rooms = [undefined, 40, 0];

function walkWith(source: string, room: number | undefined): Walk {
  const free = () => {};
  const graph = graphOf(parsePattern(source, free), free);
  return walkOf(machineOf(graph, alphabetOf(graph, free), free), room);
}

/** Whether the pattern is not slow, and matches the texts that RegExp matches, in every way. */
function expectSame(source: string, texts: readonly string[]): void {
  const expression = new RegExp(source, 'u');
  const expected = texts.map((text) => [text, expression.test(text)]);
  const pattern = patternOf(source);
  expect([source, pattern?.slow, texts.map((text) => [text, pattern?.test(text)])]).toEqual([
    source,
    undefined,
    expected,
  ]);
  for (const room of rooms) {
    const walk = walkWith(source, room);
    expect([source, room, texts.map((text) => [text, matches(text, walk)])]).toEqual([source, room, expected]);
  }
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
  ...['\u{10000}', '\u{1f600}', '\u{1d4b3}', '\u{3ffff}', '\u{40000}', '\u{5fffd}', '\u{5fffe}', '\u{dffff}'],
  ...[
    '\u{e0000}',
    '\u{e0001}',
    '\u{e0fff}',
    '\u{e1000}',
    '\u{effff}',
    '\u{f0000}',
    '\u{ffffd}',
    '\u{fffff}',
    '\u{10ffff}',
  ],
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
    '\\p{Co}',
    '\\p{Noncharacter_Code_Point}',
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
  fc.assert(
    fc.property(string, fc.array(text, { minLength: 1, maxLength: 8 }), (source, texts) => {
      expectSame(source, texts);
    }),
    { numRuns: 300 },
  );
});

test('random counts match what RegExp matches', () => {
  const unit = fc.constantFrom('a', 'b', 'a', 'c', '-', '\u{1f600}');
  // RegExp would give up if they were inside each other.
  const counted = fc
    .tuple(
      fc.constantFrom('a', '[ab]', '.', '\\w', '[^b]'),
      fc.nat(70),
      fc.nat(70),
      fc.constantFrom('', '', '\\b', 'a', '-'),
    )
    .map(([set, one, other, after]) => `${set}{${Math.min(one, other)},${Math.max(one, other)}}${after}`);
  const pattern = fc
    .tuple(
      fc.constantFrom('', '^'),
      fc.array(counted, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '$', '|^a{40}$'),
    )
    .map(([begin, parts, end]) => `${begin}${parts.join('')}${end}`);
  const run = fc
    .tuple(fc.string({ unit, minLength: 1, maxLength: 4 }), fc.nat(40))
    .map(([one, times]) => one.repeat(times));
  const text = fc.array(run, { maxLength: 4 }).map((runs) => runs.join(''));
  fc.assert(fc.property(pattern, fc.array(text, { minLength: 4, maxLength: 8 }), expectSame), { numRuns: 100 });
});

test('RegExp gives up where a walk does not', () => {
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
  ['^(?:a{1000}){1000}$', 'is too large'],
  ['a{99999999}', 'is too large'],
  [`${'('.repeat(101)}a${')'.repeat(101)}`, 'has more than 100 groups inside each other'],
  ['a'.repeat(5001), 'has more than 5000 characters'],
])('%p has no graph: it %s', (source, why) => {
  expect(patternOf(source)?.slow).toBe(why);
});

/** Patterns as people write them, each with texts that match and texts that do not. */
const ordinary: readonly (readonly [pattern: string, matching: readonly string[], others: readonly string[]])[] = [
  ['^.{1,64}@.{1,255}$', ['a@b', '@@@', `${'@'.repeat(64)}@b`], ['@', 'a@', `a@${'b'.repeat(256)}`, 'a'.repeat(300)]],
  ['^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$', ['a@b.cd', 'a.b@c.d.ef'], ['a@b', 'a@@b.cd', 'a b@c.de', 'a@b.c']],
  [
    "^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$",
    ['a@b', "o'neil+x@mail.example.co", `a@${'b'.repeat(63)}.c`],
    ['a@-b', 'a@b-', `a@${'b'.repeat(64)}`, 'a@b..c', '@b'],
  ],
  ['^\\S{1,64}@\\S{1,255}\\.\\S{2,}$', ['a@b.cd', '@@@.@@'], ['a@b.c', `${'a'.repeat(65)}@b.cd`, 'a @b.cd']],
  [
    '^https?://[^\\s/$.?#].[^\\s]*$',
    ['http://a.b', 'https://example.com/x?y=z#q'],
    ['ftp://a.b', 'http://', 'http://ab c'],
  ],
  [
    '^https?:\\/\\/(?:www\\.)?[-a-zA-Z0-9@:%._+~#=]{1,256}\\.[a-zA-Z0-9()]{1,6}\\b[-a-zA-Z0-9()@:%_+.~#?&/=]*$',
    ['https://www.example.com/a?b=c', 'http://a.b', `http://${'a.'.repeat(120)}com`],
    ['https://example', 'http://a.b c', `http://${'a'.repeat(257)}.com`],
  ],
  [
    '^\\+[1-9]\\d{6,14}$',
    ['+4915112345678', '+1234567'],
    ['+0123456', '+123456', '4915112345678', '+1234567890123456'],
  ],
  [
    '^(?:\\+?\\d{1,3}[ -]?)?\\(?\\d{3}\\)?[ -]?\\d{3}[ -]?\\d{4}$',
    ['(555) 123-4567', '+1 555 123 4567'],
    ['555-1234', 'x5551234567'],
  ],
  ['^[a-z0-9]+(?:-[a-z0-9]+)*$', ['a', 'a-slug-2'], ['', '-a', 'a--b', 'A']],
  [
    '^[A-Z]{2}\\d{2}[A-Z0-9]{11,30}$',
    ['DE89370400440532013000', 'NO9386011117947'],
    ['DE8937040044', 'de89370400440532013000'],
  ],
  [
    '^[A-Z]{2}[0-9]{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?$',
    ['DE89 3704 0044 0532 0130 00'],
    ['DE89 3704', 'DE8 37040'],
  ],
  [
    '^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
    ['123e4567-e89b-12d3-a456-426614174000'],
    ['123e4567-e89b-62d3-a456-426614174000', '123e4567'],
  ],
  [
    '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$',
    ['1.2.3', '1.0.0-alpha.1+build.5', '1.0.0-0A.is.legal'],
    ['1.2', '01.2.3', '1.2.3-', '1.2.3-01', '1.2.3+'],
  ],
  ['^#(?:[0-9a-fA-F]{3}){1,2}$', ['#fff', '#09aFbC'], ['fff', '#ff', '#ffff', '#ggg']],
  ['^[A-Z]{1,2}\\d[A-Z\\d]? ?\\d[A-Z]{2}$', ['SW1A 1AA', 'M11AE'], ['SW1A', '1AA SW1']],
  ['^\\d{5}(?:-\\d{4})?$', ['12345', '12345-6789'], ['1234', '12345-', '123456']],
  [
    "^[\\p{L}\\p{M}]+(?:[ '\u2019-][\\p{L}\\p{M}]+)*$",
    ['Jos\u00e9 O\u2019Neil', '\u0416\u0430\u043d-\u041b\u044e\u043a', 'e\u0301'],
    ['', 'R2', ' a', 'a--b'],
  ],
  ['^\\p{Lu}[\\p{L}\\p{N} .,&-]{1,199}$', ['Caf\u00e9 & Co.', 'A1'], ['caf\u00e9', 'A', `A${'a'.repeat(200)}`]],
  ['^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.|$)){4}$', ['192.168.0.1', '1.2.3.4.'], ['256.1.1.1', '1.2.3']],
  [
    '^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d{1,9})?(?:Z|[+-]\\d{2}:\\d{2})$',
    ['2026-11-18T05:00:00.123Z', '2026-11-18T05:00:00+01:00'],
    ['2026-13-18T05:00:00Z', '2026-11-18'],
  ],
  ['^[A-Za-z0-9+/]{0,4096}={0,2}$', ['', 'QUJD', 'QQ=='], ['QQ===', 'Q-', 'a'.repeat(4097)]],
  ['^.{0,9999}$', ['', 'a'.repeat(9999), '\u{1f600}'.repeat(9999)], ['a'.repeat(10_000), 'a\n']],
  [
    'a.{16}b',
    [`a${'c'.repeat(16)}b`, `${'ab'.repeat(30)}a`.slice(1)],
    [`a${'c'.repeat(15)}b`, 'a'.repeat(99), 'b'.repeat(99)],
  ],
  [
    '[ab]*a[ab]{900}[cd]',
    [`a${'b'.repeat(900)}d`, `${'ab'.repeat(600)}ac`],
    [`b${'b'.repeat(900)}d`, 'ab'.repeat(600)],
  ],
  ['^(?:[a-z]+ ?){1,20}$', ['a b c', 'a '.repeat(20)], ['', 'a  b', 'a '.repeat(21)]],
  ['\\b(?:foo|bar|baz){2,40}\\b', ['a foobar.', 'bazbazbaz'], ['foo', 'xfoobar', 'foobarx']],
];

test.each(ordinary.map(([pattern, ...texts]) => [pattern, texts] as const))(
  '%s is ordinary',
  (source, [matching, others]) => {
    expectSame(source, [...matching, ...others, ...[...matching, ...others].map((text) => `${text}\n`)]);
    expect(matching.map((text) => patternOf(source)?.test(text))).toEqual(matching.map(() => true));
    expect(others.map((text) => patternOf(source)?.test(text))).toEqual(others.map(() => false));
  },
);

test('the words that a character can take', () => {
  const words = (source: string) => patternOf(source)?.words;
  // One for the nodes, one to begin with, and one to end after.
  expect(words('ab')).toBe(16 + 3);
  // One for the nodes, and a jump: its places, one to leave from, and one to go to.
  expect(words('^a*$')).toBe(16 + 4);
  // 32 for the nodes. Each node of the count can be left.
  expect(words('^.{1,1024}$')).toBe(16 + 32);
  expect(words('^.{1,1024}@*$')).toBeWithin(16 + 33 + 32, 16 + 33 + 32 + 5);
  // Each node leads to all that follow it.
  expect(words('(?:a?){100}')).toBeGreaterThan(100);
});

test('a set is not read for each copy of a counted part', () => {
  let reads = 0;
  const set = new Proxy([0x61, 0x7a], {
    get(target, key) {
      reads++;
      return Reflect.get(target, key) as unknown;
    },
  });
  const graph = graphOf({ kind: 'repeat', part: { kind: 'characters', set }, least: 0, most: 5000 }, () => {});
  expect([graph.sets.length, graph.nodes.length, reads]).toEqual([1, 10_001, 0]);
});

test('RegExp is asked for each property once, and for ten of a pattern at most', () => {
  const scans = spyOn(String.prototype, 'matchAll');
  const properties = ['Sc', 'Sk', 'Sm', 'So', 'Pc', 'Pd', 'Ps', 'Pe', 'Pi', 'Pf'].map((name) => `\\p{${name}}`);
  expect(patternOf(`${properties.join('')}\\p{Po}`)?.slow).toBe('has more than 10 properties such as \\p{Po}');
  expect(scans).toHaveBeenCalledTimes(10);
  expect(patternOf(`^(?:${properties.join('|')})+[^${properties[0]}]{9}${properties[9]}*$`)?.slow).toBeUndefined();
  expect(patternOf('\\P{Sc}')?.slow).toBeUndefined();
  expect(scans).toHaveBeenCalledTimes(10);
  scans.mockRestore();
});

test('what is compiled takes a bounded number of steps', () => {
  const steps = (source: string) => {
    let sum = 0;
    const spend = (taken: number) => {
      sum += taken;
    };
    const graph = graphOf(parsePattern(source, spend), spend);
    machineOf(graph, alphabetOf(graph, spend), spend);
    return sum;
  };
  // Each of them is a set of its own, with 1,368 borders.
  const large = (count: number) =>
    Array.from({ length: count }, (_, at) => `[\\p{L}${String.fromCodePoint(0x2190 + at)}]`).join('');
  expect(steps(large(20))).toBeGreaterThan(2 * 20 * 1368);
  expect(patternOf(large(60))?.slow).toBe('is too large');
  // The same one is made once.
  expect(steps(large(1).repeat(300))).toBeLessThan(steps(large(1)) + 300 * 100);
  expect(steps('^.{0,9999}$')).toBeLessThan(125_000);
  // Ways that add no node.
  expect(patternOf(`(?:${'|'.repeat(100)}){2000}`)?.slow).toBe('is too large');
  expect(patternOf(`(?:|${'a{0}'.repeat(100)}){2000}`)?.slow).toBe('is too large');
  // Each of 100 nodes has 300 ways to the next one, before a character and at the end.
  expect(steps(`(?:(?:${'|'.repeat(299)})a){100}`)).toBeGreaterThan(100 * 300 * 3);
});

test('a pattern may have a thousand classes of characters', () => {
  const source = Array.from({ length: 1000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('');
  const pattern = patternOf(source);
  expect([pattern?.slow, pattern?.test(`a${source}b`), pattern?.test(source.slice(1))]).toEqual([
    undefined,
    true,
    false,
  ]);
});

test('characters of planes that are not looked at one by one have the same properties', () => {
  const run = (from: number, to: number) => {
    let text = '';
    for (let at = from; at < to; at += 0x1000)
      text += String.fromCodePoint(...Array.from({ length: Math.min(0x1000, to - at) }, (_, more) => at + more));
    return text;
  };
  expect(/^\p{Cn}*$/u.test(run(0x40000, 0xe0000))).toBeTrue();
  expect(/^\p{Cn}*$/u.test(run(0xe1000, 0xf0000))).toBeTrue();
  for (const plane of [0xf0000, 0x100000])
    expect(/^\p{Co}*\p{Noncharacter_Code_Point}{2}$/u.test(run(plane, plane + 0x10000))).toBeTrue();
});

test.each<[string, number, string | undefined]>([
  ['^[0-9]{13}$', 0, '1111111111111'],
  ['^[A-Z]{2}-\\d+$', 0, 'AA-1'],
  ['^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$', 0, 'a@a.aa'],
  ['^(?:green|red)$', 0, 'red'],
  ['^(?<year>\\d{4})-(\\d\\d)$', 0, '1111-11'],
  ['^a?b*c+?(d{2,3})?$', 0, 'c'],
  ['^\\p{Lu}\\p{L}*\\u{31}\\x31$', 0, 'A11'],
  ['^[\\]\\-]$', 0, '-'],
  ['^.\\.$', 0, 'a.'],
  ['\\b\u00e9\\b', 0, 'a\u00e9a'],
  ['a\\B', 0, 'aa'],
  ['', 0, ''],
  ['^[\u{1f600}]$', 0, '\u{1f600}'],
  ['^[\\0\\u{10000}]$', 0, '\u{10000}'],
  ['^[a-z]+$', 5, 'aaaaa'],
  ['^(?:ab)+$', 5, 'ababab'],
  ['^[a-z]{2,3}x?$', 4, 'aaax'],
  ['^[a-z]{2}$', 4, undefined],
  ['[]', 0, undefined],
  ['a^', 0, undefined],
  ['^\\ud83d$', 0, undefined],
  ['^(?=a)a$', 0, undefined],
  ['^[a-z]{1000}$', 0, 'a'.repeat(1000)],
  ['^[a-z]{1001}$', 0, undefined],
])('an example of %s with %i characters or more', (source, least, text) => {
  expect(patternOf(source)?.example(least)).toBe(text);
  if (text !== undefined) expect(text).toMatch(new RegExp(source, 'u'));
});

test('every ordinary pattern has an example', () => {
  for (const [source] of ordinary) {
    const example = patternOf(source)?.example(3);
    expect([source, example, example && new RegExp(source, 'u').test(example)]).toEqual([
      source,
      expect.any(String),
      true,
    ]);
  }
});

test('what RegExp refuses is no pattern', () => {
  for (const source of ['(', '[', 'a**', '\\', '{', '\\u{110000}', '(?<x>a)(?<x>b)'])
    expect(patternOf(source)).toBeUndefined();
});
