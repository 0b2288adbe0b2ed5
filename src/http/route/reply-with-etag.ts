/** Answers with their own ETag: 304 if the client has the current version, compressed if it is worth it. */

import type { Bytes } from '../../domain/bytes.ts';
import { lazyPromise } from '../../domain/lazy.ts';
import { type Soon, soon } from '../../domain/soon.ts';
import type { Headers, Reply } from '../../wire/answer/reply.ts';
import type { Incoming } from '../../wire/request/incoming.ts';
import { compress, type Encoding, encodingFor } from './compress.ts';
import { isNotModified } from './etag.ts';
import { bytes, empty } from './reply.ts';

/**
 * JSON that was built for this request. Each encoding has its own tag, because a strong tag identifies bytes. The tag begins with
 * `lead`.
 */
export function jsonWithEtag(request: Incoming, body: string | Bytes, headers: Headers, lead = ''): Soon<Reply> {
  const plain = typeof body === 'string' ? Buffer.from(body) : body;
  const encoding = encodingFor(request, plain.length);
  const tag = `${lead}${Bun.hash(plain).toString(36)}${encoding === undefined ? '' : `-${encoding}`}`;
  const replyHeaders = {
    'Content-Type': 'application/json',
    ...headers,
    ETag: `"${tag}"`,
    ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
  };
  if (isNotModified(request, replyHeaders.ETag)) return empty(304, replyHeaders);
  const packed = encoding === undefined ? plain : compress(plain, encoding);
  return soon(packed, (content) => bytes(200, content, replyHeaders));
}

type Document = {
  readonly plain: Bytes;
  readonly tag: string;
  readonly packed: Readonly<Record<Encoding, () => Promise<Bytes>>>;
};

/** A document that does not change while the server runs: loaded and compressed at the first request for it, then cached. */
export function cachedDocument(contentType: string, load: () => Soon<string>): (request: Incoming) => Promise<Reply> {
  const prepared = lazyPromise(async (): Promise<Document> => {
    const plain = new TextEncoder().encode(await load());
    const packed = {
      zstd: lazyPromise(() => compress(plain, 'zstd', 'once')),
      gzip: lazyPromise(() => compress(plain, 'gzip')),
    };
    // Weak: one tag for all encodings.
    return { plain, tag: `W/"${Bun.hash(plain).toString(36)}"`, packed };
  });

  return async (request) => {
    const { plain, tag, packed } = await prepared();
    const headers = { ETag: tag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' };
    if (isNotModified(request, tag)) return empty(304, headers);
    const replyHeaders = { ...headers, 'Content-Type': contentType };
    const encoding = encodingFor(request, plain.length);
    if (encoding === undefined) return { ...bytes(200, plain, replyHeaders), shared: true };
    return { ...bytes(200, await packed[encoding](), { ...replyHeaders, 'Content-Encoding': encoding }), shared: true };
  };
}
