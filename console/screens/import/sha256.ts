/** SHA-256, by the browser where it can, which is only in pages from this machine or with TLS. */
import type { Hash } from '../../../src/import/cut-batches.ts';

function primes(count: number): number[] {
  const found: number[] = [];
  for (let one = 2; found.length < count; one++) if (found.every((prime) => one % prime !== 0)) found.push(one);
  return found;
}

/** The first 32 bits of the fraction. */
const fraction = (value: number) => ((value - Math.floor(value)) * 2 ** 32) | 0;
const constants = Int32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
const start = Int32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));

const encoder = new TextEncoder();

/** The browser makes a digest of a whole text alone. */
export function newHash(): Hash {
  const texts: string[] = [];
  return {
    update: (text) => texts.push(text),
    async digest() {
      const bytes = encoder.encode(texts.join(''));
      // TypeScript believes that it is always there.
      const subtle: SubtleCrypto | undefined = crypto.subtle;
      return subtle === undefined ? ownSha256(bytes) : new Uint8Array(await subtle.digest('SHA-256', bytes)).toHex();
    },
  };
}

export function ownSha256(bytes: Uint8Array): string {
  const blocks = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / 64) * 64));
  new Uint8Array(blocks.buffer).set(bytes);
  blocks.setUint8(bytes.length, 0x80);
  blocks.setBigUint64(blocks.byteLength - 8, BigInt(bytes.length) * 8n);
  const state = Int32Array.from(start);
  const words = new Int32Array(64);
  for (let at = 0; at < blocks.byteLength; at += 64) {
    for (let place = 0; place < 16; place++) words[place] = blocks.getInt32(at + place * 4);
    mix(state, words);
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

const turned = (word: number, by: number) => (word >>> by) | (word << (32 - by));

function mix(state: Int32Array, words: Int32Array): void {
  for (let place = 16; place < 64; place++) {
    const early = words[place - 15] ?? 0;
    const late = words[place - 2] ?? 0;
    const small = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const large = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    words[place] = ((words[place - 16] ?? 0) + small + (words[place - 7] ?? 0) + large) | 0;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let place = 0; place < 64; place++) {
    const one =
      (h +
        (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
        ((e & f) ^ (~e & g)) +
        (constants[place] ?? 0) +
        (words[place] ?? 0)) |
      0;
    const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  for (const [place, word] of [a, b, c, d, e, f, g, h].entries()) state[place] = ((state[place] ?? 0) + word) | 0;
}
