/** Entity tags (RFC 9110): whether a client already has what it asks for. */
import type { Incoming } from '../wire/incoming.ts';

/** `If-None-Match` compares weakly: `W/"x"` and `"x"` name the same content. */
export function alreadyHas(request: Incoming, tag: string): boolean {
  const header = request.header('if-none-match');
  if (header === null) return false;
  return header.split(',').some((one) => {
    const text = one.trim();
    return text === '*' || text.replace(/^W\//, '') === tag.replace(/^W\//, '');
  });
}

/** The strong tag of bytes that are at hand. */
export function tagOf(bytes: Uint8Array): string {
  // Two hashes of 32 bits: one of 64 comes as a bigint, and costs three times as much.
  return `"${Bun.hash.crc32(bytes)}-${Bun.hash.murmur32v3(bytes)}"`;
}
