/** Before npm pack: the server as one file with its threads and assets, and the client as one file with its types. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { licenses } from './licenses.ts';
import { entrypoints, replacedFiles, root } from './server-entries.ts';

const [client, server] = [join(root, 'dist/client'), join(root, 'dist/server')];

async function bundle(options: Bun.BuildConfig): Promise<void> {
  const { success, logs } = await Bun.build({ ...options, throw: false });
  if (!success) throw new Error(logs.join('\n'));
}

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

async function buildServer(): Promise<void> {
  /** Bun writes paths of assets as they are relative to the bundle; the server needs them wherever it is started. */
  const assets = '/assets-of-shelf/';
  await bundle({
    entrypoints,
    root: join(root, 'src'),
    outdir: server,
    target: 'bun',
    files: await replacedFiles(),
    naming: { asset: 'assets/[name]-[hash].[ext]' },
    publicPath: assets,
  });
  edit(join(server, 'cli/main.js'), (text) => text.replaceAll(`"${assets}`, 'import.meta.dir + "/../'));
  writeFileSync(join(server, 'THIRD-PARTY-LICENSES'), licenses());
}

async function buildClient(): Promise<void> {
  await bundle({ entrypoints: [join(root, 'src/client/index.ts')], outdir: client, target: 'browser', format: 'esm' });
  const types = Bun.spawnSync([join(root, 'node_modules/.bin/tsc'), '-p', join(root, 'scripts/client-types.json')]);
  if (types.exitCode !== 0) throw new Error(types.stdout.toString());
  // A declaration names a file by the name that it has when it runs.
  for (const file of readdirSync(client).filter((name) => name.endsWith('.d.ts')))
    edit(join(client, file), (text) => text.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
}

for (const folder of [client, server]) rmSync(folder, { recursive: true, force: true });
await Promise.all([buildServer(), buildClient()]);
