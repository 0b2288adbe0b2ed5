/** Files from elsewhere that a release contains, kept in dist/cache between builds and checked by their digest at each use. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../server-entries.ts';

/** Builds in a clone share the cache of the checkout. */
const cacheFolder = process.env.SHELF_RELEASE_CACHE ?? join(root, 'dist/cache');

/** `integrity` as in package-lock.json: the algorithm, a dash and the digest in base64. */
function hasIntegrity(bytes: Uint8Array, integrity: string): boolean {
  const [algorithm = '', digest] = integrity.split(/-(.*)/s);
  return new Bun.CryptoHasher(algorithm as Bun.SupportedCryptoAlgorithms).update(bytes).digest('base64') === digest;
}

/** Calls `get` if `folder` has no file with this digest. Throws an error if its result has another one. */
export async function cached(
  name: string,
  integrity: string,
  get: () => Promise<Uint8Array>,
  folder = cacheFolder,
): Promise<Uint8Array> {
  const path = join(folder, name);
  if (existsSync(path)) {
    const kept = readFileSync(path);
    if (hasIntegrity(kept, integrity)) return kept;
  }
  const bytes = await get();
  if (!hasIntegrity(bytes, integrity))
    throw new Error(`${name} does not have the digest ${integrity}: it was changed.`);
  mkdirSync(folder, { recursive: true });
  // Another build may read the file at the same time.
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, bytes);
  renameSync(partial, path);
  return bytes;
}
