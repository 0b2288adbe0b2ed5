/** Bundles the server: one file for the command, one for each of its threads, and its assets. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { bundledConsole, entrypoints, root } from './server-entries.ts';

/** Returns the path of the command in the bundle. `replaced` has the text of some source files, by path. */
export async function buildServer(outdir: string, replaced: Readonly<Record<string, string>> = {}): Promise<string> {
  /** Bun writes paths of assets as they are relative to the bundle; the server needs them wherever it is started. */
  const assets = '/assets-of-shelf/';
  const { success, logs, outputs } = await Bun.build({
    entrypoints,
    root: join(root, 'src'),
    outdir,
    target: 'bun',
    plugins: [await bundledConsole()],
    files: replaced,
    naming: { asset: 'assets/[name]-[hash].[ext]' },
    publicPath: assets,
    throw: false,
  });
  if (!success) throw new Error(logs.join('\n'));
  // The command and each serving thread have pages.
  for (const { path, kind } of outputs) {
    if (kind !== 'entry-point') continue;
    const toAssets = `import.meta.dir + "/${relative(dirname(path), outdir)}/`;
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(`"${assets}`, toAssets));
  }
  return join(outdir, 'cli/main.js');
}
