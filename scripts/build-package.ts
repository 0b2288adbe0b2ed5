/** Before npm pack: the server as one file with its threads and assets, and the client as one file with its types. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildServer } from './build-server.ts';
import { licenses } from './licenses.ts';
import { root } from './server-entries.ts';

const [client, server] = [join(root, 'dist/client'), join(root, 'dist/server')];

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

async function buildClient(): Promise<void> {
  const { success, logs } = await Bun.build({
    entrypoints: [join(root, 'src/client/index.ts')],
    outdir: client,
    target: 'browser',
    format: 'esm',
    throw: false,
  });
  if (!success) throw new Error(logs.join('\n'));
  const types = Bun.spawnSync([join(root, 'node_modules/.bin/tsc'), '-p', join(root, 'scripts/client-types.json')]);
  if (types.exitCode !== 0) throw new Error(types.stdout.toString());
  // A declaration names a file by the name that it has when it runs.
  for (const file of readdirSync(client, { encoding: 'utf8', recursive: true }).filter((name) =>
    name.endsWith('.d.ts'),
  ))
    edit(join(client, file), (text) => text.replaceAll(/(from '\.[\w./-]+)\.ts'/g, "$1.js'"));
}

for (const folder of [client, server]) rmSync(folder, { recursive: true, force: true });
await Promise.all([buildServer(server), buildClient()]);
writeFileSync(join(server, 'THIRD-PARTY-LICENSES'), licenses());
