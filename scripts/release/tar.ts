/** Archives whose bytes depend on their entries alone: sorted, owned by root unless an entry says otherwise, and all of one time. */

export type Entry = {
  /** Relative, without a slash at its end. */
  readonly path: string;
  /** Permissions; those of files default to 644, those of folders to 755. */
  readonly mode?: number;
  /** User and group. */
  readonly owner?: number;
  /** Undefined for a folder, and for a link. */
  readonly content?: Uint8Array | string;
  /** Where a symbolic link leads to. */
  readonly link?: string;
};

const block = 512;
const pathBytes = 100;
/** A tar file ends with two empty blocks. */
const endBytes = 2 * block;
const empty = new Uint8Array(0);
/** In the header: nothing, a symbolic link, a folder. */
const kinds = { file: '0', link: '2', folder: '5' };

/** The parts of a tar file, one after the other. `date` in seconds. */
export function tarParts(entries: readonly Entry[], date: number): Uint8Array[] {
  const sorted = entries.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const parts = sorted.flatMap((entry) => {
    const content = typeof entry.content === 'string' ? Buffer.from(entry.content) : (entry.content ?? empty);
    return [header(entry, content.length, date), content, new Uint8Array((block - (content.length % block)) % block)];
  });
  return [...parts, new Uint8Array(endBytes)];
}

function header({ path, mode, owner = 0, content, link }: Entry, size: number, date: number): Uint8Array {
  const kind = link !== undefined ? 'link' : content !== undefined ? 'file' : 'folder';
  const name = kind === 'folder' ? `${path}/` : path;
  if (Buffer.byteLength(name) > pathBytes) throw new Error(`${path} is longer than ${pathBytes} bytes: shorten it.`);
  const bytes = Buffer.alloc(block);
  const octal = (value: number, at: number, length: number) =>
    bytes.write(value.toString(8).padStart(length - 1, '0'), at, 'latin1');
  bytes.write(name, 0);
  octal(mode ?? (kind === 'file' ? 0o644 : 0o755), 100, 8);
  octal(owner, 108, 8);
  octal(owner, 116, 8);
  octal(size, 124, 12);
  octal(date, 136, 12);
  bytes.write('        ', 148);
  bytes.write(kinds[kind], 156);
  bytes.write(link ?? '', 157);
  bytes.write('ustar\x0000', 257, 'latin1');
  octal(
    bytes.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  bytes[155] = 0x20;
  return bytes;
}

/** From this size on, in bytes, a file is compressed apart. */
const large = 2 ** 20;
const compressed = new WeakMap<Uint8Array, Uint8Array>();

/**
 * A gzip file may have several members: an executable is one of its own, which is compressed once for all archives that it is in.
 * Neither a time nor a system is in their headers.
 */
export function gzip(parts: readonly Uint8Array[]): Uint8Array {
  const members: Uint8Array[] = [];
  let small: Uint8Array[] = [];
  for (const part of [...parts, undefined]) {
    if (part !== undefined && part.length < large) {
      small.push(part);
      continue;
    }
    if (small.length > 0) members.push(member(Buffer.concat(small)));
    small = [];
    if (part === undefined) break;
    const done = compressed.get(part) ?? member(part);
    compressed.set(part, done);
    members.push(done);
  }
  return Buffer.concat(members);
}

const member = (bytes: Uint8Array) => Bun.gzipSync(new Uint8Array(bytes), { level: 6, library: 'libdeflate' });

export const tarGzip = (entries: readonly Entry[], date: number) => gzip(tarParts(entries, date));
