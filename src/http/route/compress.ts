/** Compresses answers on the runtime's thread pool, so that other requests do not wait for it. */
import { promisify } from 'node:util';
import { createGzip, createZstdCompress, gzip } from 'node:zlib';
import type { Bytes } from '../../domain/bytes.ts';
import type { Incoming } from '../../wire/request/incoming.ts';
import { encodingChooser } from './accept.ts';

export type Encoding = 'zstd' | 'gzip';

/** In bytes. Below this, compression saves no packet. */
const worthCompressing = 1024;
/** Limits on compression in progress, of all clients; an answer beyond them is sent uncompressed. A stream holds 1 MB. */
export const most = { bytes: 64 * 1024 * 1024, streams: 64 };

/** What is compressed once, for all its readers, is worth more time: 16 ms for the script of the console, which is 6% smaller. */
const zstdLevels = { each: 3, once: 9 };

const compressors: Record<
  Encoding,
  (bytes: Bytes, how: keyof typeof zstdLevels) => Promise<Uint8Array<ArrayBufferLike>>
> = {
  zstd: (bytes, how) => Bun.zstdCompress(bytes, { level: zstdLevels[how] }),
  gzip: (bytes) => promisify(gzip)(bytes),
};
const chooseEncoding = encodingChooser<Encoding>(['zstd', 'gzip']);
const inProgress = { bytes: 0, streams: 0 };

/** The encoding for an answer of `size` bytes to this client; undefined to send it uncompressed. */
export function encodingFor(request: Incoming, size: number): Encoding | undefined {
  if (size < worthCompressing || inProgress.bytes + size > most.bytes) return undefined;
  return chooseEncoding(request);
}

export async function compress(
  bytes: Bytes,
  encoding: Encoding,
  how: keyof typeof zstdLevels = 'each',
): Promise<Bytes> {
  inProgress.bytes += bytes.length;
  try {
    return (await compressors[encoding](bytes, how)) as Bytes;
  } finally {
    inProgress.bytes -= bytes.length;
  }
}

/** The encoding for a stream to this client; undefined to send it uncompressed. */
export function streamEncodingFor(request: Incoming): Encoding | undefined {
  return inProgress.streams < most.streams ? chooseEncoding(request) : undefined;
}

/** Compresses all parts as one stream. A part is pulled only when the reader has room, so memory stays flat. */
export function compressParts(parts: AsyncIterator<Bytes>, encoding: Encoding): AsyncIterator<Bytes> {
  const pieces = piecesOf(parts, encoding);
  let ended = false;
  const end = () => {
    if (!ended) inProgress.streams--;
    ended = true;
  };
  inProgress.streams++;
  return {
    async next() {
      try {
        const piece = await pieces.next();
        if (piece.done === true) end();
        return piece;
      } catch (error) {
        end();
        throw error;
      }
    },
    async return() {
      end();
      // `piecesOf` cannot do this: a generator that was never pulled does not run its cleanup.
      await parts.return?.();
      return pieces.return(undefined);
    },
  };
}

async function* piecesOf(parts: AsyncIterator<Bytes>, encoding: Encoding): AsyncGenerator<Bytes, undefined> {
  const compressor = encoding === 'gzip' ? createGzip() : createZstdCompress();
  let pieces: Buffer[] = [];
  const failed = new Promise<never>((_, reject) => compressor.on('error', reject));
  failed.catch(() => {});
  compressor.on('data', (piece: Buffer) => pieces.push(piece));
  const take = () => {
    const taken = Buffer.concat(pieces);
    pieces = [];
    return taken;
  };
  try {
    for (let part = await parts.next(); part.done !== true; part = await parts.next()) {
      const { value } = part;
      await Promise.race([failed, new Promise((resolve) => compressor.write(value, resolve))]);
      if (pieces.length > 0) yield take();
    }
    const last = new Promise((resolve) => compressor.once('end', resolve));
    compressor.end();
    await Promise.race([failed, last]);
    yield take();
    return undefined;
  } finally {
    compressor.destroy();
  }
}
