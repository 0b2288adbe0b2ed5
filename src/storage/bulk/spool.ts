/** Bytes in an unnamed file: the system deletes it when the process ends, however it ends. */
import { readSync } from 'node:fs';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientSpool } from './spool-limits.ts';

const readBytes = 256 * 1024;

/** The contents of a spool, for a reader on another thread of this process. `without` are lines to leave out; none if absent. */
export type Spooled = { readonly fd: number; readonly size: number; readonly without?: readonly LineRange[] };

/** The lines from `from` to before `to`, counted from 0. Ranges are in order. */
export type LineRange = { readonly from: number; readonly to: number };

export class Spool {
  #size = 0;

  private constructor(
    readonly file: FileHandle,
    readonly clientSpool: ClientSpool,
  ) {}

  static async open(folder: string, clientSpool: ClientSpool): Promise<Spool> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `.shelf-${crypto.randomUUID()}`);
    const file = await open(path, 'wx+', 0o600);
    await unlink(path);
    return new Spool(file, clientSpool);
  }

  get spooled(): Spooled {
    return { fd: this.file.fd, size: this.#size };
  }

  /** Throws when the disk is full or the client's share of the spool is used up. */
  async write(bytes: Uint8Array): Promise<void> {
    const from = this.#size;
    this.clientSpool.spool(bytes.length, from);
    this.#size += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.file.write(bytes, at, bytes.length - at, from + at);
      at += bytesWritten;
    }
  }

  /** Up to `readBytes` bytes from offset `at` on; undefined at the end. */
  async read(at: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const bytes = new Uint8Array(Math.min(readBytes, this.#size - at));
    const { bytesRead } = await this.file.read(bytes, 0, bytes.length, at);
    return bytesRead === 0 ? undefined : bytes.subarray(0, bytesRead);
  }

  /** Never rejects: the file has no name and no further reader, and an error must not replace the outcome of a bulk or a list. */
  async close(): Promise<void> {
    this.clientSpool.giveBack(this.#size);
    this.#size = 0;
    await this.file.close().catch(() => {});
  }
}

/** Yields the lines in order, several at a time. */
export function* linesOf({ without = [], ...spooled }: Spooled): Generator<string[], void> {
  if (without.length === 0) return yield* allLinesOf(spooled);
  const ranges = [...without];
  let at = -1;
  const isKept = () => {
    at++;
    while (ranges[0] !== undefined && ranges[0].to <= at) ranges.shift();
    return ranges[0] === undefined || at < ranges[0].from;
  };
  for (const lines of allLinesOf(spooled)) {
    const kept = lines.filter(isKept);
    if (kept.length > 0) yield kept;
  }
}

/** The place among all lines of one among those that `linesOf` yields; both are counted from 1. */
export function placeAmongAll(place: number, without: readonly LineRange[] = []): number {
  let among = place;
  for (const { from, to } of without) if (from < among) among += to - from;
  return among;
}

function* allLinesOf({ fd, size }: Omit<Spooled, 'without'>): Generator<string[], void> {
  const buffer = Buffer.allocUnsafe(readBytes);
  let partial: Buffer[] = [];
  for (let at = 0; at < size; ) {
    const length = readSync(fd, buffer, 0, Math.min(readBytes, size - at), at);
    if (length === 0) throw new Error(`the spool file was truncated: read ${at} of ${size} bytes`);
    at += length;
    const end = buffer.lastIndexOf(0x0a, length - 1) + 1;
    if (end > 0) {
      const whole = Buffer.concat([...partial, buffer.subarray(0, end - 1)]);
      partial = [];
      yield whole.toString().split('\n');
    }
    if (end < length) partial.push(Buffer.from(buffer.subarray(end, length)));
  }
}
