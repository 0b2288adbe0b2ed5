/** npm run build [FILE]: the executable. */
import { resolve } from 'node:path';
import { buildExecutable } from './build-executable.ts';
import { root } from './server-entries.ts';

const outfile = resolve(root, process.argv[2] ?? 'dist/shelf');

try {
  await buildExecutable(outfile);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
const megabytes = Math.round(Bun.file(outfile).size / 1024 / 1024);
process.stdout.write(`${outfile} (${megabytes} MB)\n`);
