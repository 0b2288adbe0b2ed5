/** docs/access.md against the real service: its library, with a librarian, a member and a visitor, and every command that it shows. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/data/folder.ts';
import { runCommand } from '../support/servers/command.ts';
import { command, root, type Shelf, startShelf } from '../support/servers/process.ts';

const page = readFileSync(join(root, 'docs/access.md'), 'utf8');
const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, block = '']) => ({ language, block }));
const file = blocks.find(({ language }) => language === 'json')?.block ?? '';
/** Each begins with a dollar sign; what it prints follows. */
const examples = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ block }) => [...block.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)])
  .map(([, typed = '', shown = '']) => ({ typed, shown }));
const before = examples.findIndex(({ typed }) => typed === 'shelf');

const folder = temporaryFolder();
const env = { SHELF_DATABASE: `sqlite:${join(folder, 'library.db')}` };
const shelfCommand = `shelf() { ${command.map((part) => `'${part}'`).join(' ')} "$@"; }`;
let shelf: Shelf;
/** The output of each command, in one shell. */
let outputs: string[];

async function run(lines: readonly string[], variables: Readonly<Record<string, string>>): Promise<string[]> {
  const end = '\u0001';
  const script = [shelfCommand, ...lines.map((line) => `${line}\nprintf '${end}'`)].join('\n');
  const { PATH = '', HOME = '' } = process.env;
  const { stdout } = await runCommand(['bash', '-c', script], {
    cwd: folder,
    env: { PATH, HOME, ...env, ...variables },
  });
  return stdout.split(end).slice(0, -1);
}

beforeAll(async () => {
  writeFileSync(join(folder, 'shelf.json'), file);
  // Their keys are variables of the shell.
  const names = ['LIBRARIAN', 'MEMBER'];
  const made = await run(
    [...examples.slice(0, before).map(({ typed }) => typed), ...names.map((name) => `printf %s "$${name}"`)],
    {},
  );
  const keys = Object.fromEntries(names.map((name, at) => [name, made[before + at] ?? '']));
  shelf = await startShelf({ cwd: folder, env });
  const rest = examples
    .slice(before + 1)
    .map(({ typed }) => typed.replace('http://127.0.0.1:8000', shelf.url).replace(/^curl /, 'curl -s '));
  outputs = await run(rest, keys);
});
afterAll(() => shelf?.stop());

test('the page has commands for each caller', () => {
  expect(before).toBeGreaterThan(0);
  expect(examples.length).toBeGreaterThan(15);
});

test.each(examples.slice(before + 1).map(({ typed, shown }, at) => [at, typed, shown] as const))(
  '%d: %s',
  (at, _, shown) => {
    const parts = shown
      .trimEnd()
      .split('...')
      .map((part) => RegExp.escape(part));
    expect(outputs[at]?.trimEnd() ?? '').toMatch(new RegExp(`^${parts.join('.*')}$`, 's'));
  },
);
