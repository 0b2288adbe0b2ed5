/** The strong ETag of a record in the contract's API, quoted: a hash of its bytes, in hexadecimal. */
export function contentTag(bytes: Uint8Array): string {
  hash[0] = Bun.hash.wyhash(bytes);
  const low = halves[0] ?? 0;
  const high = halves[1] ?? 0;
  const front = `"${digits[high >>> 20]}${digits[(high >>> 8) & 0xfff]}${digits[((high & 0xff) << 4) | (low >>> 28)]}`;
  return `${front}${digits[(low >>> 16) & 0xfff]}${digits[(low >>> 4) & 0xfff]}${digits[low & 0xf]}"`;
}

/** Every read computes a tag, and formatting two numbers takes three times as long as looking up their digits. */
const digits = Array.from({ length: 4096 }, (_, value) => value.toString(16).padStart(3, '0'));
const hash = new BigUint64Array(1);
const halves = new Uint32Array(hash.buffer);
