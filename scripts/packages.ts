/** The npm packages: the server with its command, the typed client alone, and `npm create shelf`. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { exampleFile } from '../src/cli/commands/init.ts';
import { buildClient } from './build-client.ts';
import { buildServer } from './build-server.ts';
import type { Artifact } from './release/artifact.ts';
import { licenses } from './release/licenses.ts';
import { type Entry, tarGzip } from './release/tar.ts';
import { root } from './server-entries.ts';

const { version, license, engines, dependencies } = packageJson;
/** npm proves the origin of a package only if the package names its repository. */
const { repository } = packageJson as { readonly repository?: unknown };

const read = (path: string) => readFileSync(join(root, path));

/** The files of a folder, below `prefix` in an archive. */
function filesOf(folder: string, prefix: string): Entry[] {
  return readdirSync(folder, { encoding: 'utf8', recursive: true })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => ({ path: join(prefix, name), content: readFileSync(join(folder, name)) }));
}

type Package = { readonly name: string; readonly manifest: object; readonly files: readonly Entry[] };

async function server(folder: string): Promise<Package> {
  await buildServer(folder);
  return {
    name: 'shelf-server',
    manifest: {
      description: packageJson.description,
      keywords: ['database', 'rest', 'openapi', 'sqlite', 'postgresql', 'server'],
      bin: { shelf: 'bin/shelf.mjs' },
      dependencies,
    },
    files: [
      ...filesOf(folder, 'dist/server'),
      ...['bunfig.toml', 'runtime.mjs'].map((file) => ({ path: `bin/${file}`, content: read(`bin/${file}`) })),
      { path: 'bin/shelf.mjs', mode: 0o755, content: read('bin/shelf.mjs') },
      { path: 'THIRD-PARTY-LICENSES', content: await licenses() },
    ],
  };
}

async function client(folder: string): Promise<Package> {
  await buildClient(folder);
  return {
    name: 'shelf-client',
    manifest: {
      description: 'The typed client of Shelf, for browsers, Node, Bun and Deno.',
      keywords: ['shelf', 'client', 'typescript', 'rest'],
      sideEffects: false,
      exports: {
        '.': { types: './dist/types/client/index.d.ts', default: './dist/index.js' },
        './package.json': './package.json',
      },
    },
    files: filesOf(folder, 'dist'),
  };
}

const create: Package = {
  name: 'create-shelf',
  manifest: {
    description: 'Makes a folder that Shelf serves: npm create shelf my-library.',
    keywords: ['shelf', 'create'],
    bin: { 'create-shelf': 'create.mjs' },
  },
  files: [
    { path: 'create.mjs', mode: 0o755, content: read('packages/create-shelf/create.mjs') },
    { path: 'shelf.json', content: exampleFile },
  ],
};

function pack({ name, manifest, files }: Package, date: number): Artifact {
  const about = {
    name,
    version,
    license,
    type: 'module',
    engines,
    ...(repository === undefined ? {} : { repository }),
  };
  const entries = [
    { path: 'package.json', content: `${JSON.stringify({ ...about, ...manifest }, null, 2)}\n` },
    { path: 'README.md', content: read(`packages/${name}/README.md`) },
    { path: 'LICENSE', content: read('LICENSE') },
    ...files,
  ].map((entry) => ({ ...entry, path: `package/${entry.path}` }));
  return { file: `${name}-${version}.tgz`, bytes: tarGzip(entries, date) };
}

/** `date` in seconds. */
export async function packages(date: number): Promise<Artifact[]> {
  const folder = mkdtempSync(join(tmpdir(), 'shelf-packages-'));
  try {
    const built = await Promise.all([server(join(folder, 'server')), client(join(folder, 'client'))]);
    return [...built, create].map((one) => pack(one, date));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
