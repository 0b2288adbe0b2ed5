/** `shelf generate`, run as a command: what it proposes can be served, and takes every row of the file. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/data/folder.ts';
import { Random } from '../support/data/random.ts';
import { runShelf } from '../support/servers/process.ts';

const folder = temporaryFolder();
const run = (...args: readonly string[]) => runShelf({ args, cwd: folder });

const random = new Random(7);
const values: Readonly<Record<string, () => string>> = {
  id: () => String(random.below(1e9)),
  Title: () => random.pick(['Ficciones', '"Rayuela, ó no"', '"two\nlines"', '""""']),
  price: () => random.pick(['12.50', '3', '-0.125', '99999999.1']),
  weight: () => random.pick(['1e-3', '2', '0.30000000000000004']),
  'In Stock': () => random.pick(['true', 'FALSE', '']),
  published: () => random.pick(['1944-01-01', '2024-02-29']),
  seen_at: () => random.pick(['2026-01-01T10:00:00Z', '2026-01-01T10:00:00.123456+02:00', '']),
  tags: () => random.pick(['"[""a""]"', '[]', '"[""b"",""c""]"']),
  meta: () => random.pick(['"{""a"":[1,null]}"', '[]']),
  state: () => random.pick(['free', 'lent']),
  pages: () => random.pick(['9223372036854775807', '1', '']),
  zip: () => random.pick(['01067', '10115']),
};
const rows = Array.from({ length: 60 }, () =>
  Object.values(values)
    .map((value) => value())
    .join(),
);
writeFileSync(join(folder, 'books.csv'), `${[Object.keys(values).join(), ...rows].join('\n')}\n`);

test('the proposed file has no mistakes, and every row can be imported by the command that is printed', async () => {
  const proposed = await run('generate', 'books.csv', '--collection', 'books');
  expect(proposed.code).toBe(0);
  writeFileSync(join(folder, 'shelf.json'), proposed.stdout);
  expect(await run('check')).toMatchObject({ code: 0, stderr: '' });
  expect(await run('migrate')).toMatchObject({ code: 0 });
  const printed = /^shelf: +shelf (import .*)$/m.exec(proposed.stderr)?.[1] ?? '';
  const args = [...printed.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const imported = await run(...args);
  expect(imported.stderr).not.toContain('line ');
  expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('60') });
});

test.each([
  [['generate'], 'Usage: shelf generate FILE.csv|FILE.ndjson|FILE.json --collection NAME'],
  [['generate', 'books.csv'], 'Usage: shelf generate'],
  [['generate', 'books.csv', '--collection', 'Books'], 'must have only lower-case letters'],
  [['generate', 'books.csv', '--collection', 'changes'], 'is reserved'],
  [['generate', 'books.csv', '--collection', 'items'], 'is a collection of the contract: choose another name.'],
])('%j', async (args, mistake) => {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(mistake);
});

test('a file that cannot be read is named, with the line', async () => {
  expect(await run('generate', 'none.csv', '--collection', 'books')).toMatchObject({
    code: 1,
    stderr: 'shelf: Cannot read none.csv: there is no such file.\n',
  });
  writeFileSync(join(folder, 'bad.csv'), 'a,b\n1,2,3\n');
  expect(await run('generate', 'bad.csv', '--collection', 'books')).toMatchObject({
    code: 1,
    stderr: 'shelf: bad.csv, line 2: the row has 3 cells, and the header 2.\n',
  });
  writeFileSync(join(folder, 'empty.json'), '[]');
  expect(await run('generate', 'empty.json', '--collection', 'books')).toMatchObject({
    code: 1,
    stderr: 'shelf: empty.json has no records.\n',
  });
});
