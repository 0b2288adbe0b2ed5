/** The strong tag of a record in the contract's API: a hash of its bytes, quoted as in an ETag. */
export function contentTag(bytes: Uint8Array): string {
  // Two hashes of 32 bits: one of 64 comes as a bigint, and costs three times as much.
  return `"${Bun.hash.crc32(bytes)}-${Bun.hash.murmur32v3(bytes)}"`;
}
