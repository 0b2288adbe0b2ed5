/** The npm packages that the server and its console contain, from the bundler's own list of files. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundledConsole, entrypoints, root } from '../server-entries.ts';

export type Bundled = {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly description?: string;
  readonly folder: string;
};

/** A package inside a package has a folder of its own. */
const packageFolder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

async function inputsOf(files: readonly string[], target: 'bun' | 'browser'): Promise<string[]> {
  const plugins = target === 'bun' ? [await bundledConsole()] : [];
  const { success, logs, metafile } = await Bun.build({
    entrypoints: [...files],
    root,
    target,
    plugins,
    metafile: true,
    throw: false,
  });
  if (!success || metafile === undefined) throw new Error(logs.join('\n'));
  return Object.keys(metafile.inputs).filter((path) => path.includes('node_modules/'));
}

function screens(): string[] {
  return [...new Bun.Glob('console/**/*.{ts,tsx}').scanSync(root)]
    .filter((file) => !/\.test\.tsx?$|\.d\.ts$/.test(file))
    .map((file) => join(root, file));
}

async function findBundled(): Promise<readonly Bundled[]> {
  const inputs = [...(await inputsOf(entrypoints, 'bun')), ...(await inputsOf(screens(), 'browser'))];
  const folders = new Set(inputs.map((path) => packageFolder.exec(path)?.[0] ?? dirname(path)));
  return [...folders]
    .map((folder) => {
      const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
      const { name, version, license, description } = manifest as Omit<Bundled, 'folder'>;
      return {
        name,
        version,
        license,
        folder: join(root, folder),
        ...(description === undefined ? {} : { description }),
      };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

let found: Promise<readonly Bundled[]> | undefined;

/** Sorted by name. */
export function bundledPackages(): Promise<readonly Bundled[]> {
  found ??= findBundled();
  return found;
}

/** The license texts of a package: its own, and those of what its bundles contain. */
export function licenseFiles({ name, folder }: Bundled): string[] {
  const files = readdirSync(folder).filter(
    (file) => /^licen[cs]e|^notice/i.test(file) || file === 'swagger-ui-bundle.js.LICENSE.txt',
  );
  if (files.length === 0) throw new Error(`${name} has no license file`);
  return files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
}
