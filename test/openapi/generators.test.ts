/** Clients that are generated from the OpenAPI document compile, and work with a live server. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expected, expectedOfLibrary } from '../generators/expected.ts';
import { Generated, type Generator, generators, installGenerators } from '../generators/generators.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { library } from '../support/data/library.ts';
import { runCommand } from '../support/servers/command.ts';
import { root } from '../support/servers/process.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const missing = installGenerators();
if (missing !== undefined && process.env.CI)
  throw new Error(`there are no generators (${missing}), and in CI no test may be skipped`);

const folder = join(temporaryFolder(), 'clients');

const compilerOptions = {
  target: 'ESNext',
  lib: ['ESNext', 'DOM', 'DOM.Iterable'],
  module: 'Preserve',
  moduleResolution: 'Bundler',
  types: ['bun'],
  typeRoots: [join(root, 'node_modules/@types')],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
};

describe.skipIf(missing !== undefined)('a generated client', () => {
  const servers: TestServer[] = [];
  const libraries: TestServer[] = [];
  const libraryOf = (generator: Generator) => libraries[generators.indexOf(generator)]?.url ?? '';
  const serverOf = (generator: Generator) => servers[generators.indexOf(generator)]?.url ?? '';
  beforeAll(async () => {
    for (const _ of generators) servers.push(await startServer());
    for (const _ of generators) libraries.push(await startServer({ collections: library }));
    cpSync(join(import.meta.dir, '../generators/clients'), folder, { recursive: true });
    // A library has items and users as well, so that one document is enough for all programs.
    const own = new Generated(join(folder, 'library'));
    const address = libraryOf('orval');
    await own.from(await (await fetch(`${address}/openapi.json`)).text(), address);
    symlinkSync(join(own.folder, 'node_modules'), join(folder, 'node_modules'));
    for (const name of ['openapi-fetch.gen.d.ts', 'hey-api.gen'])
      cpSync(join(own.folder, name), join(folder, name), { recursive: true });
    // orval writes the URL into the client; the others get it at run time.
    const client = readFileSync(join(own.folder, 'orval.gen.ts'), 'utf8');
    writeFileSync(join(folder, 'orval.gen.ts'), client.replaceAll(address, serverOf('orval')));
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['*.ts', 'library/*.ts'] }),
    );
  }, 120_000);
  afterAll(async () => {
    for (const server of [...servers, ...libraries]) await server.stop();
  });

  test('compiles, and so do the programs that use it', async () => {
    const { stdout, code } = await runCommand([join(root, 'node_modules/.bin/tsc'), '-p', folder]);
    expect(stdout).toBe('');
    expect(code).toBe(0);
  });

  test.each(generators)('of %s creates, changes, lists, exports and follows records', async (generator) => {
    const command = [process.execPath, `${generator}.ts`, serverOf(generator)];
    const { stdout, stderr } = await runCommand(command, { cwd: folder });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({ ...expected, csv: ['name,price', 'Widget,9.99'] });
  });

  test.each(generators)('of %s works with collections of a user, with every field type', async (generator) => {
    const command = [process.execPath, `${generator}.ts`, libraryOf(generator)];
    const { stdout, stderr } = await runCommand(command, { cwd: join(folder, 'library') });
    expect(stderr).toBe('');
    const { made, ...rest } = JSON.parse(stdout);
    const times = { created_at: expect.any(String), updated_at: expect.any(String) };
    expect({ made, ...rest }).toEqual({ ...expectedOfLibrary, made: { ...expectedOfLibrary.made, ...times } });
  });
});
