/** Runtimes of other platforms, from their npm packages: `bun build --target` would download them from another place, unchecked. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../server-entries.ts';
import { cached } from './cached.ts';
import type { Target } from './targets.ts';

type Lock = {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity?: string }>>;
};

function locked(name: string): { readonly version: string; readonly integrity: string } {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  const { version, integrity } = lock.packages[`node_modules/${name}`] ?? {};
  if (version === undefined || integrity === undefined) throw new Error(`package-lock.json does not have ${name}`);
  return { version, integrity };
}

async function packed(name: string, version: string): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'shelf-runtime-'));
  try {
    const command = ['npm', 'pack', '--silent', '--prefer-offline', `${name}@${version}`];
    const { exitCode, stderr } = Bun.spawnSync(command, { cwd: folder, stderr: 'pipe' });
    if (exitCode !== 0) throw new Error(`npm cannot fetch ${name}: ${stderr.toString().trim()}`);
    return readFileSync(join(folder, readdirSync(folder)[0] ?? ''));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The path of the runtime of a platform, unpacked in `folder`. Its package is checked by the digest in package-lock.json. */
export async function runtimeFor({ name, runtime }: Target, folder: string): Promise<string> {
  const { version, integrity } = locked(runtime);
  const file = `${name}-runtime-${version}.tgz`;
  const bytes = await cached(file, integrity, () => packed(runtime, version));
  const { exitCode, stderr } = Bun.spawnSync(['tar', '-xzf', '-', '-C', folder], { stdin: bytes, stderr: 'pipe' });
  const path = join(folder, 'package/bin/bun');
  if (exitCode !== 0 || !existsSync(path)) throw new Error(`${file} has no runtime: ${stderr}`);
  return path;
}
