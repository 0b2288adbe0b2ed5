/** A whole collection as an answer: in one piece where it is small, streamed at the reader's own pace where it is not. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Bytes, Listing } from '../domain/store.ts';
import { accepts } from './accept.ts';
import { alreadyHas } from './etag.ts';
import { empty, type Reply } from './reply.ts';
import type { Call } from './route.ts';

/** Up to here a list is one piece, and its compressed forms are kept for as long as it does not change. */
const wholeBytes = 1024 * 1024;
/** Below this, compressing saves no packet. */
const worthCompressing = 1024;
/** A reader of a stream that takes nothing for this long is cut off. */
const stallMs = 30_000;

type Encoding = 'zstd' | 'gzip';

const compress: Record<Encoding, (bytes: Bytes) => Promise<Uint8Array<ArrayBufferLike>>> = {
  zstd: (bytes) => Bun.zstdCompress(bytes),
  gzip: promisify(gzip),
};

/** Answers lists; what it has prepared for one is dropped with that list. */
export function listReplies(): (listing: Listing, call: Call) => Promise<Reply> {
  const prepared = new WeakMap<Listing, Map<Encoding | 'identity', Promise<Blob> | Blob>>();

  function piece(listing: Listing, encoding: Encoding | undefined): Promise<Blob> | Blob {
    const forms = prepared.get(listing) ?? new Map<Encoding | 'identity', Promise<Blob> | Blob>();
    prepared.set(listing, forms);
    const key = encoding ?? 'identity';
    const known = forms.get(key);
    if (known !== undefined) return known;
    const made = prepare(listing, encoding);
    forms.set(key, made);
    return made;
  }

  return async (listing, call) => {
    const { request } = call;
    const { tag, size } = listing;
    const whole = size !== undefined && size <= wholeBytes;
    const encoding = whole && size >= worthCompressing ? preferred(request) : undefined;
    const headers: Record<string, string> = { 'Content-Type': 'application/json', Vary: 'Accept-Encoding' };
    if (encoding !== undefined) headers['Content-Encoding'] = encoding;
    if (tag !== undefined) headers.ETag = `"${tag}${encoding === undefined ? '' : `-${encoding}`}"`;
    if (headers.ETag !== undefined && alreadyHas(request, headers.ETag)) return empty(304, headers);

    if (whole) {
      const blob = await piece(listing, encoding);
      // Stated here, because it is sent faster than if the server has to ask the Blob.
      headers['Content-Length'] = String(blob.size);
      return { status: 200, headers, body: blob, size: blob.size };
    }
    if (size !== undefined) headers['Content-Length'] = String(size);
    // Of an unknown length a stream, because for no body at all the server would state 0.
    const body =
      request.method !== 'HEAD' ? await stream(listing, call) : size === undefined ? new ReadableStream() : null;
    return { status: 200, headers, body, size };
  };
}

function preferred({ headers }: Request): Encoding | undefined {
  const accepted = headers.get('Accept-Encoding');
  if (accepted === null) return undefined;
  return accepts(accepted, 'zstd') ? 'zstd' : accepts(accepted, 'gzip') ? 'gzip' : undefined;
}

/** Without compression at once, so that a list that is at hand is answered in one turn. */
function prepare(listing: Listing, encoding: Encoding | undefined): Promise<Blob> | Blob {
  const parts = [...(listing.parts() as Iterator<Bytes> & Iterable<Bytes>)];
  if (encoding === undefined) return new Blob(parts);
  return compress[encoding](Buffer.concat(parts)).then((bytes) => new Blob([bytes as Bytes]));
}

/** Reads a part when the reader has room for it; the first at once, because after it no failure can be answered. */
async function stream(listing: Listing, { keepOpen, report }: Call): Promise<ReadableStream<Bytes>> {
  const parts = listing.parts();
  let next = await parts.next();
  let stalled: Timer | undefined;
  function stop(): void {
    clearTimeout(stalled);
    parts.return?.();
  }

  // The server's own time-out cuts a slow reader even while it makes progress.
  keepOpen();
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        clearTimeout(stalled);
        if (next.done) return controller.close();
        controller.enqueue(next.value);
        stalled = setTimeout(() => {
          stop();
          controller.error(new Error('the reader took nothing for too long'));
        }, stallMs);
        try {
          // A fast reader asks again at once; everybody else gets a turn first.
          await new Promise(setImmediate);
          next = await parts.next();
        } catch (error) {
          stop();
          report(error);
          controller.error(error);
        }
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
}
