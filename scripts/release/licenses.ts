/** The licenses of everything that an artifact contains besides Shelf. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../server-entries.ts';
import { bundledPackages, licenseFiles } from './bundled.ts';

/** Of the npm packages in the bundles. */
export async function licenses(): Promise<string> {
  const packages = await bundledPackages();
  return packages.map((one) => [`# ${one.name} ${one.version}`, ...licenseFiles(one)].join('\n\n')).join('\n\n');
}

/** Also of the runtime, which the executables contain: its own page names what it links, and how to link it again. */
export async function executableLicenses(): Promise<string> {
  const page = readFileSync(join(root, 'node_modules/bun-types/docs/project/license.mdx'), 'utf8');
  const [, text = ''] = page.split(/^---\n[\s\S]*?^---\n/m);
  return `${await licenses()}\n\n# bun ${Bun.version}\n\n${text.trim()}\n`;
}
