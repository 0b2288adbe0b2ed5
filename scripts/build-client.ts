/** Bundles the typed client: one file, and its types. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './server-entries.ts';

export async function buildClient(outdir: string): Promise<void> {
  const { success, logs } = await Bun.build({
    entrypoints: [join(root, 'src/client/index.ts')],
    root,
    outdir,
    naming: '[name].[ext]',
    target: 'browser',
    format: 'esm',
    throw: false,
  });
  if (!success) throw new Error(logs.join('\n'));
  const command = [join(root, 'node_modules/.bin/tsc'), '-p', join(root, 'scripts/client-types.json')];
  const types = Bun.spawnSync([...command, '--outDir', join(outdir, 'types')]);
  if (types.exitCode !== 0) throw new Error(types.stdout.toString());
  // A declaration names a file by the name that it has when it runs.
  for (const name of readdirSync(outdir, { encoding: 'utf8', recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const file = join(outdir, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.[\w./-]+)\.ts'/g, "$1.js'"));
  }
}
