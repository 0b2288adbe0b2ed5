/**
 * Makes the files of a release from the checkout that this file is in: `make.ts FOLDER REVISION DATE [TARGET...] [image]`. DATE is in
 * seconds. Without targets, all of them and the image.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { buildExecutable } from '../build-executable.ts';
import { packages } from '../packages.ts';
import { root } from '../server-entries.ts';
import { type Artifact, type Commit, checksumFile, sha256 } from './artifact.ts';
import { chart } from './chart.ts';
import { type Executable, image } from './image.ts';
import { executableLicenses } from './licenses.ts';
import { runtimeFor } from './runtimes.ts';
import { sboms } from './sbom.ts';
import { signMacos } from './sign-macos.ts';
import { tarGzip } from './tar.ts';
import { hostTarget, type Target, targets } from './targets.ts';

const { version } = packageJson;

async function build(target: Target): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'shelf-executable-'));
  try {
    // The name is in the bytes.
    const outfile = join(folder, 'shelf');
    const executablePath = target === hostTarget ? process.execPath : await runtimeFor(target, folder);
    await buildExecutable(outfile, { target: target.compile, executablePath });
    const bytes = readFileSync(outfile);
    return target.name === 'macos-x64' ? signMacos(bytes, 'shelf') : bytes;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function archive({ name }: Target, bytes: Uint8Array, licenses: string, date: number): Artifact {
  const folder = `shelf-${version}-${name}`;
  const entries = [
    { path: `${folder}/shelf`, mode: 0o755, content: bytes },
    { path: `${folder}/LICENSE`, content: readFileSync(join(root, 'LICENSE')) },
    { path: `${folder}/THIRD-PARTY-LICENSES`, content: licenses },
  ];
  return { file: `${folder}.tar.gz`, bytes: tarGzip(entries, date) };
}

/** The executables in the image, by the name of their target. */
const processors = new Map([
  ['linux-x64', 'amd64'],
  ['linux-arm64', 'arm64'],
] as const);

async function make(folder: string, names: readonly string[], commit: Commit): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const sums: string[] = [];
  const write = ({ file, bytes }: Artifact) => {
    writeFileSync(join(folder, file), bytes);
    sums.push(`${sha256([bytes])}  ${file}`);
  };
  const licenses = await executableLicenses();
  const inImage: Executable[] = [];
  for (const target of targets.filter(({ name }) => names.includes(name))) {
    const bytes = await build(target);
    write(archive(target, bytes, licenses, commit.date));
    const processor = processors.get(target.name as 'linux-x64');
    if (processor !== undefined) inImage.push({ processor, bytes });
  }
  if (names.includes('image')) write(await image(inImage, licenses, commit));
  for (const one of [...(await packages(commit.date)), chart(commit.date), ...(await sboms(commit))]) write(one);
  writeFileSync(
    join(folder, checksumFile),
    `${sums.sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1)).join('\n')}\n`,
  );
}

const [folder = '', revision = '', date = '', ...names] = process.argv.slice(2);
const all = [...targets.map(({ name }) => name), 'image'];
await make(folder, names.length === 0 ? all : names, { revision, date: Number(date) });
