/**
 * An ad-hoc signature for an executable of macOS on x64: the bundler appends to the runtime and leaves the signature of the runtime alone
 * there, which no longer fits, so that macOS would end the process. It signs executables for arm64 itself.
 */

const command = { segment: 0x19, codeSignature: 0x1d };
const magic = { superBlob: 0xfade0cc0, codeDirectory: 0xfade0c02 };
/** Ad hoc, and made by a linker: `codesign` may replace it. */
const flags = 0x20002;
const version = 0x20400;
const headerBytes = 88;
const hashBytes = 32;
const pageBits = 12;
const pageBytes = 2 ** pageBits;

type Layout = {
  /** Where the load command of the signature is. */
  readonly signature: number;
  /** Where the load commands of the segments are, by name. */
  readonly segments: ReadonlyMap<string, number>;
};

function layoutOf(file: Buffer): Layout {
  const segments = new Map<string, number>();
  let signature: number | undefined;
  let at = 32;
  for (let left = file.readUInt32LE(16); left > 0; left--) {
    const kind = file.readUInt32LE(at);
    if (kind === command.codeSignature) signature = at;
    if (kind === command.segment) segments.set(file.toString('latin1', at + 8, at + 24).replace(/\0+$/, ''), at);
    at += file.readUInt32LE(at + 4);
  }
  if (signature === undefined) throw new Error('the executable has no place for a signature');
  return { signature, segments };
}

/** Of a segment: where it begins in the file, and its size there. */
const placeOf = (file: Buffer, at: number) => ({
  offset: Number(file.readBigUInt64LE(at + 40)),
  size: Number(file.readBigUInt64LE(at + 48)),
});

export function signMacos(executable: Uint8Array, name: string): Uint8Array {
  const { signature, segments } = layoutOf(Buffer.from(executable));
  const [text, linkEdit] = [segments.get('__TEXT'), segments.get('__LINKEDIT')];
  if (text === undefined || linkEdit === undefined) throw new Error('the executable lacks a segment');
  const end = Buffer.from(executable).readUInt32LE(signature + 8);
  const code = Buffer.from(executable.subarray(0, end));

  const pages = Math.ceil(end / pageBytes);
  const identifier = `${name}\0`;
  const hashesAt = headerBytes + identifier.length;
  const directory = Buffer.alloc(hashesAt + pages * hashBytes);
  const size = 20 + directory.length;
  // The signature is the last part of the last segment.
  code.writeUInt32LE(size, signature + 12);
  const { offset } = placeOf(code, linkEdit);
  const inFile = BigInt(end + size - offset);
  code.writeBigUInt64LE(inFile, linkEdit + 48);
  code.writeBigUInt64LE(BigInt(Math.ceil(Number(inFile) / pageBytes) * pageBytes), linkEdit + 32);

  const { offset: execBase, size: execLimit } = placeOf(code, text);
  const words = [magic.codeDirectory, directory.length, version, flags, hashesAt, headerBytes, 0, pages, end];
  for (const [index, word] of words.entries()) directory.writeUInt32BE(word, index * 4);
  // SHA-256.
  directory.set([hashBytes, 2, 0, pageBits], 36);
  directory.writeBigUInt64BE(BigInt(execBase), 64);
  directory.writeBigUInt64BE(BigInt(execLimit), 72);
  // The main executable of a process.
  directory.writeBigUInt64BE(1n, 80);
  directory.write(identifier, headerBytes, 'latin1');
  for (let page = 0; page < pages; page++) {
    const bytes = code.subarray(page * pageBytes, Math.min((page + 1) * pageBytes, end));
    directory.set(new Bun.CryptoHasher('sha256').update(bytes).digest(), hashesAt + page * hashBytes);
  }
  const head = Buffer.alloc(20);
  for (const [index, word] of [magic.superBlob, size, 1, 0, 20].entries()) head.writeUInt32BE(word, index * 4);
  return Buffer.concat([code, head, directory]);
}

/** The number of pages whose hash in the signature is another one; undefined if the signature does not cover all that precedes it. */
export function changedPages(executable: Uint8Array): number | undefined {
  const file = Buffer.from(executable);
  const end = file.readUInt32LE(layoutOf(file).signature + 8);
  const directory = file.subarray(end + file.readUInt32BE(end + 16));
  const [hashesAt, pages, limit] = [16, 28, 32].map((at) => directory.readUInt32BE(at));
  if (hashesAt === undefined || pages === undefined || limit !== end) return undefined;
  const size = 2 ** (directory[39] ?? 0);
  return Array.from({ length: pages }, (_, page) => {
    const bytes = file.subarray(page * size, Math.min((page + 1) * size, end));
    const kept = directory.subarray(hashesAt + page * hashBytes, hashesAt + (page + 1) * hashBytes);
    return new Bun.CryptoHasher('sha256').update(bytes).digest().equals(kept);
  }).filter((same) => !same).length;
}
