/** Compiles the threads of the server in advance, for servers in the process of a test. */
import { join } from 'node:path';
import { bundledConsole, root, threadEntries } from './server-entries.ts';

/** The files are in `outdir` as they are in src/, and end with .js. */
export async function buildThreads(outdir: string): Promise<void> {
  const { success, logs } = await Bun.build({
    entrypoints: threadEntries,
    root: join(root, 'src'),
    outdir,
    target: 'bun',
    format: 'cjs',
    bytecode: true,
    plugins: [await bundledConsole()],
    // Assets are found from any folder.
    publicPath: `${outdir}/`,
    throw: false,
  });
  if (!success) throw new Error(logs.join('\n'));
}
