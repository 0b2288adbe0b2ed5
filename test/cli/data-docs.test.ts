/** docs/data.md against the real commands: every example runs, and prints what the page shows. */
import { describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { runCommand } from '../support/servers/command.ts';
import { command, root, startShelf } from '../support/servers/process.ts';

const page = readFileSync(join(root, 'docs/data.md'), 'utf8');
const folder = temporaryFolder();

/** The folder has the database that the page starts with, and a `shelf` that runs this checkout. */
async function prepare(): Promise<Readonly<Record<string, string>>> {
  const programs = join(folder, 'bin');
  mkdirSync(programs, { recursive: true });
  const program = join(programs, 'shelf');
  writeFileSync(program, `#!/bin/sh\nexec '${command.join("' '")}' "$@"\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(folder, 'lamps.csv'), 'Title,price,Notes\nDesk lamp,20,\n"Lamp, tall",45.5,new\n');
  writeFileSync(join(folder, 'chairs.csv'), 'name,price\nChair,45\nStool,cheap\n');
  const env = { PATH: `${programs}:${process.env.PATH}`, HOME: folder };
  const database = `sqlite:${join(folder, 'data/shelf.db')}`;
  const shelf = await startShelf({ args: ['--database', database] });
  const added = await fetch(`${shelf.url}/api/v2/items`, { method: 'POST', body: '{"name":"Lamp","price":20}' });
  expect(added.status).toBe(201);
  await shelf.stop();
  const key = ['keys', 'create', '--name', 'ci', '--scope', 'read', '--database', database];
  expect((await runCommand([...command, ...key], { cwd: folder, env })).code).toBe(0);
  return env;
}

/** `$ command`, with the lines that it prints; `...` stands for anything within a line. */
function examplesIn(text: string): { readonly line: string; readonly shown: string }[] {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [line = '', ...lines] = step.trim().split('\n');
        return { line, shown: lines.join('\n') };
      }),
  );
}

describe.skipIf(postgresUrl === undefined)('docs/data.md', () => {
  const shownUrl = 'postgres://owner:secret@localhost/shelf';
  const examples = examplesIn(page);

  test('every example prints what the page shows', async () => {
    const env = await prepare();
    const url = await newDatabase();
    expect(examples.length).toBeGreaterThan(0);
    for (const { line, shown } of examples) {
      const { stdout, stderr } = await runCommand(['sh', '-c', line.replaceAll(shownUrl, url)], { cwd: folder, env });
      const expected = shown
        .replaceAll('postgres://...localhost.../shelf', '...')
        .split('...')
        .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      expect(`${line}\n${(stdout + stderr).trim()}`).toMatch(
        new RegExp(`^${line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\n${expected.join('.*')}$`),
      );
    }
  });
});
