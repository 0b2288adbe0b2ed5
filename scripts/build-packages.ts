/** npm run packages [FOLDER]: the npm packages, and in dist/client what a checkout imports as `shelf/client`. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildClient } from './build-client.ts';
import { packages } from './packages.ts';
import { root } from './server-entries.ts';

const folder = resolve(root, process.argv[2] ?? 'dist/packages');
const client = join(root, 'dist/client');

rmSync(client, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const [built] = await Promise.all([packages(Math.trunc(Date.now() / 1000)), buildClient(client)]);
for (const { file, bytes } of built) {
  writeFileSync(join(folder, file), bytes);
  process.stdout.write(`${join(folder, file)} (${Math.ceil(bytes.length / 1000)} KB)\n`);
}
