/** One executable with everything in it, the documentation pages included. */
import type { Build } from 'bun';
import { bundledConsole, entrypoints, root } from './server-entries.ts';

/** Another platform than this one, and its runtime. */
type Elsewhere = { readonly target: Build.CompileTarget; readonly executablePath: string };

/** The name of `outfile` is in its bytes. */
export async function buildExecutable(outfile: string, elsewhere?: Elsewhere): Promise<void> {
  const { success, logs } = await Bun.build({
    entrypoints,
    root,
    plugins: [await bundledConsole()],
    // Compiled in advance, a start takes a third of the processor time.
    bytecode: true,
    format: 'esm',
    // A bunfig.toml in the folder where it is started could make it run code.
    compile: { outfile, autoloadBunfig: false, ...elsewhere },
    throw: false,
  });
  if (!success) throw new Error(logs.join('\n'));
}
