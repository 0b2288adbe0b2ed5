/** The Helm chart of deploy/chart, packed as `helm package` would. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../server-entries.ts';
import type { Artifact } from './artifact.ts';
import { tarGzip } from './tar.ts';

const folder = join(root, 'deploy/chart');

export function chart(date: number): Artifact {
  const entries = readdirSync(folder, { encoding: 'utf8', recursive: true })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => ({ path: `shelf/${name}`, content: readFileSync(join(folder, name)) }));
  return { file: `shelf-chart-${packageJson.version}.tgz`, bytes: tarGzip(entries, date) };
}
