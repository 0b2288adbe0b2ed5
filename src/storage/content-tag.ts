/** The strong ETag of a record in the contract's API, quoted: a hash of its bytes. */
export function contentTag(bytes: Uint8Array): string {
  // Two 32-bit hashes: Bun returns a 64-bit hash as a bigint, at three times the cost.
  return `"${Bun.hash.crc32(bytes)}-${Bun.hash.murmur32v3(bytes)}"`;
}
