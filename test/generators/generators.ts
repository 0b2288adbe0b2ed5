/** Client generators from npm: installed next to the tests, and run by the service's runtime. */
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmCi } from '../../scripts/tools/npm-ci.ts';
import { runCommand } from '../support/servers/command.ts';

const here = import.meta.dir;
const modules = join(here, 'node_modules');

/** Returns undefined if they are installed, else the reason. Prints its progress; installs at most once. */
export function installGenerators(): string | undefined {
  // npm writes this file last, so an interrupted install does not have it.
  if (existsSync(join(modules, '.package-lock.json'))) return undefined;
  process.stderr.write('shelf: installing generators of clients for the tests (once) ...\n');
  return npmCi(here);
}

export const generators = ['openapi-fetch', 'hey-api', 'orval'] as const;
export type Generator = (typeof generators)[number];

/** Generates the clients for a document, in a folder that also has a program for each of them. */
export class Generated {
  constructor(readonly folder: string) {
    mkdirSync(folder, { recursive: true });
    rmSync(join(folder, 'node_modules'), { force: true });
    symlinkSync(modules, join(folder, 'node_modules'));
  }

  async from(document: string, baseUrl: string): Promise<void> {
    const path = join(this.folder, 'openapi.json');
    writeFileSync(path, document);
    const output = { target: join(this.folder, 'orval.gen.ts'), client: 'fetch', baseUrl };
    const config = `export default ${JSON.stringify({ shelf: { input: path, output } })};\n`;
    writeFileSync(join(this.folder, 'orval.config.mjs'), config);
    await Promise.all([
      // Otherwise a field with a default could not be left out.
      this.#run(
        'openapi-typescript',
        path,
        '-o',
        join(this.folder, 'openapi-fetch.gen.d.ts'),
        '--default-non-nullable=false',
      ),
      this.#run('openapi-ts', '-i', path, '-o', join(this.folder, 'hey-api.gen'), '--no-log-file'),
      this.#run('orval', '--config', join(this.folder, 'orval.config.mjs')),
    ]);
  }

  async #run(tool: string, ...args: readonly string[]): Promise<void> {
    const command = [process.execPath, '--bun', join(modules, '.bin', tool), ...args];
    const { stdout, stderr, code } = await runCommand(command, { cwd: this.folder });
    if (code !== 0) throw new Error(`${tool} failed:\n${stdout}${stderr}`);
  }
}
