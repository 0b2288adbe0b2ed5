/** The code in docs/client.md compiles, and prints what its comments say. */
import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, ShelfError } from '../../src/client/index.ts';
import { typescriptOf } from '../../src/declarations/typescript.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { declared } from '../support/data/library.ts';
import { runCommand } from '../support/servers/command.ts';
import { root } from '../support/servers/process.ts';
import { startServer } from '../support/servers/server.ts';

const page = readFileSync(join(root, 'docs/client.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, text]) => text ?? '');

test('docs/client.md', async () => {
  const [json = ''] = blocks('json');
  const collections = declared((JSON.parse(json) as { collections: object }).collections);
  const server = await startServer({ collections });
  const folder = temporaryFolder();
  const code = blocks('ts').join('\n');
  const imports = [...code.matchAll(/^import .*\n/gm)].map(([line]) => line);
  const program = `${imports.join('')}declare const process: { env: Record<string, string | undefined> };
${code.replaceAll(/^import .*\n/gm, '')}`;
  writeFileSync(join(folder, 'program.ts'), program.replaceAll('http://127.0.0.1:8000', server.url));
  writeFileSync(join(folder, 'shelf.d.ts'), typescriptOf(collections));
  const compilerOptions = {
    target: 'ES2022',
    module: 'Preserve',
    moduleResolution: 'Bundler',
    allowImportingTsExtensions: true,
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    paths: { 'shelf-client': [join(root, 'src/client/index.ts')] },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  expect((await runCommand([join(root, 'node_modules/.bin/tsc'), '-p', folder])).stdout).toBe('');

  // Bun takes the client from the same setting.
  const { stdout, stderr } = await runCommand([process.execPath, 'program.ts'], { cwd: folder });
  expect(stderr).toBe('');
  const comments = [...code.matchAll(/console\.log\(.*\/\/ (.*)$/gm)].map(([, text = '']) => text);
  expect(comments.length).toBeGreaterThan(10);
  // One comment has all the lines of a callback.
  expect(stdout.trim().split(/\s+/)).toEqual(comments.join(' ').split(/\s+/));
  await server.stop();
});

test('docs/client.md names every method, and every failure of the client', () => {
  const { books } = createClient({ url: 'http://127.0.0.1:1' });
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(books)).filter((name) => name !== 'constructor');
  for (const method of methods) expect(page).toMatch(new RegExp(`^\\| \`${method}\\(`, 'm'));
  const codes = readFileSync(join(root, 'src/client/send/codes.ts'), 'utf8').split('interface ClientStatuses')[1] ?? '';
  for (const [, code] of codes.matchAll(/^ {2}(\w+): /gm)) expect(page).toContain(`| \`${code}\` |`);
  expect(new ShelfError('aborted', '').name).toBe('ShelfError');
});
