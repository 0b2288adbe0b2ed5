import { expect, test } from 'bun:test';
import { refusedHead, refusedText } from './refused-text.ts';

const csv = { format: 'csv', separator: ';', header: 'name;price' } as const;
const lines = { format: 'lines', separator: '', header: '' } as const;
const row = (source: string) => ({ line: 7, source, reason: 'price "is" required; name too' });

test('rows of CSV', () => {
  expect(refusedHead(csv, undefined)).toBe('_line;_reason;name;price\n');
  expect(refusedHead(csv, 'abc')).toBe('_line;_reason;_import;name;price\n');
  expect(refusedText(row('x;'), csv, undefined)).toBe('7;"price ""is"" required; name too";x;\n');
  expect(refusedText(row('x;'), csv, 'abc')).toBe('7;"price ""is"" required; name too";abc;x;\n');
});

const front = '{"_line":7,"_reason":"price \\"is\\" required; name too"';
test.each([
  [' { "name":"x"} ', undefined, `${front},"name":"x"}\n`],
  ['{"name":"x"}', 'abc', `${front},"_import":"abc","name":"x"}\n`],
  ['{ }', undefined, `${front}}\n`],
  ['[1]', undefined, `${front},"_source":"[1]"}\n`],
  ['{"a', 'abc', `${front},"_import":"abc","_text":"{\\"a"}\n`],
])('the line %s', (source, id, text) => {
  expect(refusedHead(lines, id)).toBe('');
  expect(refusedText(row(source), lines, id)).toBe(text);
});
