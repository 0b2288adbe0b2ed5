/** Compression of answers, on the runtime's thread pool: nobody waits while another's answer is compressed. */
import { promisify } from 'node:util';
import { createGzip, createZstdCompress, gzip } from 'node:zlib';
import type { Bytes } from '../../domain/bytes.ts';
import type { Incoming } from '../../wire/incoming.ts';
import { encodingChooser } from './accept.ts';

export type Encoding = 'zstd' | 'gzip';

/** Below this, compressing saves no packet. */
const worthCompressing = 1024;
/** Under way at once, of all clients together; what comes beyond goes out as it is. A stream keeps a megabyte. */
export const most = { bytes: 64 * 1024 * 1024, streams: 64 };

const compressors: Record<Encoding, (bytes: Bytes) => Promise<Uint8Array<ArrayBufferLike>>> = {
  zstd: (bytes) => Bun.zstdCompress(bytes),
  gzip: promisify(gzip),
};
const chooseEncoding = encodingChooser<Encoding>(['zstd', 'gzip']);
const underWay = { bytes: 0, streams: 0 };

/** How to compress so many bytes for this client; undefined for not at all. */
export function encodingFor(request: Incoming, size: number): Encoding | undefined {
  if (size < worthCompressing || underWay.bytes + size > most.bytes) return undefined;
  return chooseEncoding(request);
}

export async function compress(bytes: Bytes, encoding: Encoding): Promise<Bytes> {
  underWay.bytes += bytes.length;
  try {
    return (await compressors[encoding](bytes)) as Bytes;
  } finally {
    underWay.bytes -= bytes.length;
  }
}

/** How to compress a stream for this client; undefined for not at all. */
export function streamEncodingFor(request: Incoming): Encoding | undefined {
  return underWay.streams < most.streams ? chooseEncoding(request) : undefined;
}

/** One compressed stream of all parts: a part is pulled when the reader has room, and memory stays flat. */
export function compressParts(parts: AsyncIterator<Bytes>, encoding: Encoding): AsyncIterator<Bytes> {
  const made = piecesOf(parts, encoding);
  let ended = false;
  const end = () => {
    if (!ended) underWay.streams--;
    ended = true;
  };
  underWay.streams++;
  return {
    async next() {
      try {
        const piece = await made.next();
        if (piece.done === true) end();
        return piece;
      } catch (error) {
        end();
        throw error;
      }
    },
    async return() {
      end();
      // One that was never pulled has not begun, and would end nothing.
      await parts.return?.();
      return made.return(undefined);
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
