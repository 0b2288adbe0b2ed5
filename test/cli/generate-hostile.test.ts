/** What a file has in it never breaks the configuration file that is proposed, and a file without records is refused with its line. */
import { describe, expect, test } from 'bun:test';
import { readConfigText } from '../../src/cli/config/config-file.ts';
import { allSettings } from '../../src/cli/settings/settings.ts';
import { fieldNameMistake } from '../../src/declarations/names.ts';
import { declarationText } from '../../src/import/proposal/declaration-text.ts';
import { NoRows, readColumns } from '../../src/import/proposal/read-rows.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

async function proposed(name: string, text: string): Promise<string> {
  const pieces = async function* () {
    yield bytes(text);
  };
  const columns = await readColumns({ name, size: undefined, pieces });
  const proposal = columns.propose('books', (field) => fieldNameMistake(field, false) !== undefined);
  return declarationText(proposal, name);
}

/** The fields of the proposed file. */
async function fieldsOf(name: string, text: string): Promise<object> {
  const content = readConfigText(await proposed(name, text), allSettings);
  if (Array.isArray(content)) throw new Error(JSON.stringify(content));
  return content.declarations.books?.fields ?? {};
}

const deep = 100_000;
const columns = (count: number) => Array.from({ length: count }, (_, at) => `c${at}`);

describe('the proposed file is read without a mistake', () => {
  test.each<[what: string, name: string, text: string, fields: string[]]>([
    [
      'names of the language',
      'a.csv',
      '__proto__,constructor,toString\n1,2,3\n',
      ['proto', 'original_constructor', 'to_string'],
    ],
    ['members of the language', 'a.ndjson', '{"__proto__":1,"hasOwnProperty":{"a":1}}', ['proto', 'has_own_property']],
    ['a name that ends a comment', 'a.csv', '"a\n""x"": 1, // */",b\n1,2\n', ['a_x_1', 'b']],
    ['line separators', 'a.csv', 'a\u2028b,c\u0085d\n1,2\n', ['a_b', 'c_d']],
    [
      'names of the server',
      'a.csv',
      'id,version,created_at\n1,2,3\n',
      ['original_id', 'original_version', 'original_created_at'],
    ],
    ['names without a letter', 'a.csv', '%,$,😀\n1,2,3\n', ['field', 'field_2', 'field_3']],
    ['control characters', 'a.csv', 'a\n\u0000\u0007\u001b[31m\n', ['a']],
    ['choices of control characters', 'a.csv', `a\n${'"x\ny"\n"\u2028"\n'.repeat(10)}`, ['a']],
    ['formulas', 'a.csv', "a\n=cmd|' /C calc'!A0\n+1+1\n@SUM(1)\n", ['a']],
    ['half of a pair', 'a.ndjson', '{"a":"\\ud800","\\ud800":1}', ['a', 'field']],
    ['a text of a million characters', 'a.csv', `a\n${'x'.repeat(1e6)}\n`, ['a']],
    ['a number of a million digits', 'a.csv', `a\n1${'0'.repeat(1e6)}\n`, ['a']],
    ['a decimal of a million digits', 'a.csv', `a\n0.${'1'.repeat(1e6)}\n`, ['a']],
    ['all columns', 'a.csv', `${columns(200).join()}\n1\n`, columns(200)],
  ])('%s', async (_, name, text, fields) => {
    expect(Object.keys(await fieldsOf(name, text))).toEqual(fields);
  });
});

describe('a file that cannot be records is refused', () => {
  test.each<[what: string, name: string, text: string, reason: string]>([
    ['too many columns', 'a.csv', `${columns(201).join()}\n1\n`, 'line 1: the row'],
    [
      'too many members',
      'a.ndjson',
      JSON.stringify(Object.fromEntries(columns(201).map((one) => [one, 1]))),
      'line 1: ',
    ],
    ['a row that never ends', 'a.csv', `a\n"${'x'.repeat(17 * 2 ** 20)}`, 'line 2: the row'],
    ['a line that never ends', 'a.ndjson', `{"a":1}\n{"a":"${'x'.repeat(17 * 2 ** 20)}`, 'line 2 is'],
    ['lists in lists', 'a.json', '['.repeat(deep), 'line 1 is not JSON'],
    ['lists in lists, closed', 'a.json', `${'['.repeat(deep)}${']'.repeat(deep)}`, 'line 1'],
    ['a picture', 'a.csv', '\u0000\u0001\u0002,\n1,2', 'line 1: column 2 has no name'],
  ])('%s', async (_, name, text, reason) => {
    const failed = await proposed(name, text).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(NoRows);
    expect((failed as NoRows).message).toStartWith(reason);
    expect((failed as NoRows).message.length).toBeLessThan(200);
  });
});
