import { expect, test } from 'bun:test';
import { newHash, ownSha256 } from './sha256.ts';

test('is what the runtime makes, at every length around a block', async () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000]) {
    const text = 'é1x'.repeat(length).slice(0, length);
    const expected = new Bun.CryptoHasher('sha256').update(text).digest('hex');
    expect(ownSha256(new TextEncoder().encode(text))).toBe(expected);
    const hash = newHash();
    for (const part of [text.slice(0, 10), text.slice(10)]) hash.update(part);
    expect(await hash.digest('hex')).toBe(expected);
  }
});
