/** Bundles the server: one file for the command, one for each of its threads, and its assets. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entrypoints, replacedFiles, root } from './server-entries.ts';

/** Returns the path of the command in the bundle. `replaced` has the text of some source files, by path. */
export async function buildServer(outdir: string, replaced: Readonly<Record<string, string>> = {}): Promise<string> {
  /** Bun writes paths of assets as they are relative to the bundle; the server needs them wherever it is started. */
  const assets = '/assets-of-shelf/';
  const { success, logs } = await Bun.build({
    entrypoints,
    root: join(root, 'src'),
    outdir,
    target: 'bun',
    files: { ...(await replacedFiles()), ...replaced },
    naming: { asset: 'assets/[name]-[hash].[ext]' },
    publicPath: assets,
    throw: false,
  });
  if (!success) throw new Error(logs.join('\n'));
  const command = join(outdir, 'cli/main.js');
  const text = readFileSync(command, 'utf8');
  writeFileSync(command, text.replaceAll(`"${assets}`, 'import.meta.dir + "/../'));
  return command;
}
