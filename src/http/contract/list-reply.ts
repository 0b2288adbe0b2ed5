/** A whole collection as an answer: in one piece where it is small, streamed at the reader's own pace where it is not. */

import type { Bytes } from '../../domain/bytes.ts';
import { type Soon, soon } from '../../domain/soon.ts';
import type { Listing } from '../../domain/store.ts';
import type { Reply } from '../../wire/reply.ts';
import { compress, type Encoding, encodingFor } from '../route/compress.ts';
import { alreadyHas } from '../route/etag.ts';
import { bytes, empty } from '../route/reply.ts';
import type { Call } from '../route/route.ts';

/** Up to here a list is one piece, and its compressed forms are kept for as long as it does not change. */
const wholeBytes = 1024 * 1024;

type Form = Soon<Bytes>;

/** Answers lists; what it has prepared for one is dropped with that list. */
export function listReplies(): (listing: Listing, call: Call) => Soon<Reply> {
  const prepared = new WeakMap<Listing, Map<Encoding | 'identity', Form>>();

  function piece(listing: Listing, encoding: Encoding | undefined): Form {
    const forms = prepared.get(listing) ?? new Map<Encoding | 'identity', Form>();
    prepared.set(listing, forms);
    const key = encoding ?? 'identity';
    const known = forms.get(key);
    if (known !== undefined) return known;
    const made = prepare(listing, encoding);
    forms.set(key, made);
    return made;
  }

  return (listing, call) => {
    const { request } = call;
    const { tag, size } = listing;
    const whole = size !== undefined && size <= wholeBytes;
    const encoding = whole ? encodingFor(request, size) : undefined;
    const headers: Record<string, string> = { 'Content-Type': 'application/json', Vary: 'Accept-Encoding' };
    if (encoding !== undefined) headers['Content-Encoding'] = encoding;
    if (tag !== undefined) headers.ETag = `"${tag}${encoding === undefined ? '' : `-${encoding}`}"`;
    if (alreadyHas(request, headers.ETag)) return empty(304, headers);

    if (whole) {
      return soon(piece(listing, encoding), (form) => kept(form, headers));
    }
    return stream(listing, call, headers);
  };
}

/** Whoever reads it reads the same bytes. */
function kept(form: Bytes, headers: Reply['headers']): Reply {
  return { ...bytes(200, form, headers), shared: true };
}

/** Without compression at once, so that a list that is at hand is answered in one turn. */
function prepare(listing: Listing, encoding: Encoding | undefined): Form {
  // Whoever asks: it is in memory.
  const plain = Buffer.concat([...(listing.parts('') as Iterator<Bytes> & Iterable<Bytes>)]);
  return encoding === undefined ? plain : compress(plain, encoding);
}

/** The first part is read before anything is sent, because after it no failure can be answered. */
async function stream(listing: Listing, call: Call, headers: Reply['headers']): Promise<Reply> {
  const parts = listing.parts(call.client);
  let first: IteratorResult<Bytes> | undefined = await parts.next();
  async function next(): Promise<IteratorResult<Bytes>> {
    try {
      const part = first ?? (await parts.next());
      first = undefined;
      return part;
    } catch (error) {
      call.report(error);
      throw error;
    }
  }
  async function stop(): Promise<IteratorResult<Bytes>> {
    await parts.return?.();
    return { done: true, value: undefined };
  }
  const reply = { status: 200, headers, body: { next, return: stop }, size: listing.size };
  // A list that has a tag is in memory.
  return listing.tag === undefined ? reply : { ...reply, shared: true };
}
