/** One executable with everything in it, the documentation pages included. */
import { entrypoints, replacedFiles, root } from './server-entries.ts';

export async function buildExecutable(outfile: string): Promise<void> {
  const { success, logs } = await Bun.build({
    entrypoints,
    root,
    files: await replacedFiles(),
    // Compiled in advance, a start takes a third of the processor time.
    bytecode: true,
    format: 'esm',
    // A bunfig.toml in the folder where it is started could make it run code.
    compile: { outfile, autoloadBunfig: false },
    throw: false,
  });
  if (!success) throw new Error(logs.join('\n'));
}
