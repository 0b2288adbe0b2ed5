/** npm run build: one executable with everything in it, the documentation pages included. */
import { resolve } from 'node:path';
import { entrypoints, replacedFiles, root } from './server-entries.ts';

const outfile = resolve(root, process.argv[2] ?? 'dist/shelf');

const result = await Bun.build({
  entrypoints,
  root,
  files: await replacedFiles(),
  // A bunfig.toml in the folder where it is started could make it run code.
  compile: { outfile, autoloadBunfig: false },
  throw: false,
});
for (const log of result.logs) process.stderr.write(`${log}\n`);
if (!result.success) process.exit(1);
const megabytes = Math.round(Bun.file(outfile).size / 1024 / 1024);
process.stdout.write(`${outfile} (${megabytes} MB)\n`);
