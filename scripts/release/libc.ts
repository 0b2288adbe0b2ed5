/**
 * The C library of the image, from Debian: the version that the tests of Shelf run on. The executable for musl would need the C++
 * library of Alpine, too, which no registry of packages has for both processors.
 */
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { systemTool } from '../tools/system-tool.ts';
import { cached } from './cached.ts';
import pinned from './libc.json' with { type: 'json' };
import type { Entry } from './tar.ts';

export type Processor = 'amd64' | 'arm64';
export const libcVersion = pinned.version;

/** `folder` has the libraries; `loader` is where an executable looks for the program that loads them. */
const places = {
  amd64: { folder: 'lib/x86_64-linux-gnu', loader: 'lib64/ld-linux-x86-64.so.2' },
  arm64: { folder: 'lib/aarch64-linux-gnu', loader: 'lib/ld-linux-aarch64.so.1' },
} as const;
const libraries = ['libc.so.6', 'libdl.so.2', 'libm.so.6', 'libpthread.so.0'];
const license = 'usr/share/doc/libc6/copyright';

/** Mirrors remove a version when the next one arrives; the snapshot of a day on which it was there stays. */
const mirrors = ['https://deb.debian.org/debian', `https://snapshot.debian.org/archive/debian/${pinned.seen}`];

async function download(file: string): Promise<Uint8Array> {
  const problems: string[] = [];
  for (const mirror of mirrors) {
    const url = `${mirror}/pool/main/g/glibc/${file}`;
    try {
      const response = await fetch(url);
      if (response.ok) return await response.bytes();
      problems.push(`${url} is ${response.status}`);
    } catch (error) {
      problems.push(`${url}: ${(error as Error).message}`);
    }
  }
  throw new Error(`The C library of the image cannot be fetched (${problems.join('; ')}): check the network.`);
}

/** A Debian package is an `ar` archive: after eight bytes, files with a header of 60 bytes each, at even positions. */
function dataOf(bytes: Uint8Array): Uint8Array {
  const text = (from: number, to: number) => Buffer.from(bytes.subarray(from, to)).toString('latin1').trim();
  for (let at = 8; at < bytes.length; ) {
    const [name, size] = [text(at, at + 16), Number(text(at + 48, at + 58))];
    const content = bytes.subarray(at + 60, at + 60 + size);
    if (name.startsWith('data.tar.xz')) return content;
    at += 60 + size + (size % 2);
  }
  throw new Error('the Debian package has no data.tar.xz');
}

export async function libc(processor: Processor): Promise<Entry[]> {
  const file = `libc6_${pinned.version}_${processor}.deb`;
  const data = dataOf(await cached(file, pinned[processor], () => download(file)));
  const { folder, loader } = places[processor];
  const unpacked = mkdtempSync(join(tmpdir(), 'shelf-libc-'));
  try {
    writeFileSync(join(unpacked, 'data.tar.xz'), data);
    const command = [systemTool('tar') ?? 'tar', '-xJf', 'data.tar.xz', `./${folder}`, `./${loader}`, `./${license}`];
    const { exitCode, stderr } = Bun.spawnSync(command, { cwd: unpacked, stderr: 'pipe' });
    if (exitCode !== 0)
      throw new Error(`${file} cannot be unpacked (${stderr.toString().trim()}): install tar and xz.`);
    const real = realpathSync(join(unpacked, folder, basename(loader)));
    const copied = (path: string, from = join(unpacked, path)): Entry => ({
      path,
      mode: statSync(from).mode & 0o777,
      content: readFileSync(from),
    });
    return [
      ...libraries.map((name) => copied(join(folder, name))),
      copied(join(folder, basename(real)), real),
      ...(dirname(loader) === folder
        ? []
        : [{ path: loader, link: relative(dirname(loader), join(folder, basename(real))) }]),
      copied(license),
    ];
  } finally {
    rmSync(unpacked, { recursive: true });
  }
}
