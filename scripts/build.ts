/** npm run build: one executable with everything in it, the documentation pages included. */
import { join, resolve } from 'node:path';
import { consoleFiles } from '../src/http/site/console-files.ts';

const root = join(import.meta.dir, '..');
const outfile = resolve(root, process.argv[2] ?? 'dist/shelf');

const consoleModule = join(root, 'src/http/site/console-files.ts');
const result = await Bun.build({
  entrypoints: [
    'cli/main',
    'storage/sqlite/writer/thread',
    'storage/sqlite/search/thread',
    'http/body/parse-thread',
  ].map((name) => join(root, 'src', `${name}.ts`)),
  root,
  // In place of the module that bundles the console: the executable has neither its source nor its dependencies.
  files: { [consoleModule]: `export const consoleFiles = async () => (${JSON.stringify(await consoleFiles())});` },
  // A bunfig.toml in the folder where it is started could make it run code.
  compile: { outfile, autoloadBunfig: false },
  throw: false,
});
for (const log of result.logs) process.stderr.write(`${log}\n`);
if (!result.success) process.exit(1);
const megabytes = Math.round(Bun.file(outfile).size / 1024 / 1024);
process.stdout.write(`${outfile} (${megabytes} MB)\n`);
