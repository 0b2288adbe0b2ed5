/** Answers with a whole collection: a small one in one buffer, a large one streamed at the reader's pace. */

import type { Bytes } from '../../domain/bytes.ts';
import { type Soon, soon } from '../../domain/soon.ts';
import type { Listing } from '../../domain/store/listing.ts';
import type { Reply } from '../../wire/answer/reply.ts';
import { compress, type Encoding, encodingFor } from '../route/compress.ts';
import { isNotModified } from '../route/etag.ts';
import { bytes, empty } from '../route/reply.ts';
import type { Call } from '../route/route.ts';

/** A list up to this size is one buffer; its compressed forms are cached until it changes. */
const wholeBytes = 1024 * 1024;

type Form = Soon<Bytes>;

/** Caches the encoded forms of a list until its `Listing` is garbage. */
export function listReplies(list: (call: Call) => Soon<Listing>): (call: Call) => Soon<Reply> {
  const prepared = new WeakMap<Listing, Map<Encoding | 'identity', Form>>();

  function formOf(listing: Listing, encoding: Encoding | undefined): Form | undefined {
    const forms = prepared.get(listing) ?? new Map<Encoding | 'identity', Form>();
    prepared.set(listing, forms);
    const key = encoding ?? 'identity';
    const known = forms.get(key);
    if (known !== undefined) return known;
    const form = prepare(listing, encoding);
    if (form !== undefined) forms.set(key, form);
    // A failed compression is not cached: the next request retries.
    if (form instanceof Promise) form.catch(() => forms.delete(key));
    return form;
  }

  function replyWith(listing: Listing, call: Call): Soon<Reply> {
    const { request } = call;
    const { tag, size } = listing;
    const whole = size !== undefined && size <= wholeBytes;
    const encoding = whole ? encodingFor(request, size) : undefined;
    const headers: Record<string, string> = { 'Content-Type': 'application/json', Vary: 'Accept-Encoding' };
    if (encoding !== undefined) headers['Content-Encoding'] = encoding;
    if (tag !== undefined) headers.ETag = `"${tag}${encoding === undefined ? '' : `-${encoding}`}"`;
    if (isNotModified(request, headers.ETag)) return empty(304, headers);

    if (whole) {
      const form = formOf(listing, encoding);
      return form === undefined ? reply(call) : soon(form, (known) => sharedReply(known, headers));
    }
    const parts = listing.parts(call.client);
    return parts === undefined ? reply(call) : stream(listing, parts, headers);
  }

  /** If the list changes before it is read, the current list is used. */
  const reply = (call: Call): Soon<Reply> => soon(list(call), (listing) => replyWith(listing, call));
  return reply;
}

/** All answers with this form share one buffer. */
function sharedReply(form: Bytes, headers: Reply['headers']): Reply {
  return { ...bytes(200, form, headers), shared: true };
}

/** Synchronous without compression, so that a list in memory is answered in one turn. */
function prepare(listing: Listing, encoding: Encoding | undefined): Form | undefined {
  // No client is needed: a list of known size is in memory, and its reads are not scheduled per client.
  const parts = listing.parts('') as (Iterator<Bytes> & Iterable<Bytes>) | undefined;
  if (parts === undefined) return undefined;
  const plain = Buffer.concat([...parts]);
  return encoding === undefined ? plain : compress(plain, encoding);
}

/** Reads the first part before the head is sent: once the head is sent, a failure cannot be answered. */
async function stream(
  listing: Listing,
  parts: AsyncIterator<Bytes> | Iterator<Bytes>,
  headers: Reply['headers'],
): Promise<Reply> {
  let first: IteratorResult<Bytes> | undefined = await parts.next();
  async function next(): Promise<IteratorResult<Bytes>> {
    const part = first ?? (await parts.next());
    first = undefined;
    return part;
  }
  async function stop(): Promise<IteratorResult<Bytes>> {
    await parts.return?.();
    return { done: true, value: undefined };
  }
  const reply = { status: 200, headers, body: { next, return: stop }, size: listing.size };
  // A list with a tag is in memory.
  return listing.tag === undefined ? reply : { ...reply, shared: true };
}
