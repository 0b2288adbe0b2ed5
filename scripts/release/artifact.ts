/** A file of a release. */
export type Artifact = { readonly file: string; readonly bytes: Uint8Array };

/** What a release is made of: one commit. `date` is its time in seconds, which everything in the release has. */
export type Commit = { readonly revision: string; readonly date: number };

export const sha256 = (parts: readonly Uint8Array[]): string => {
  const hasher = new Bun.CryptoHasher('sha256');
  for (const part of parts) hasher.update(part);
  return hasher.digest('hex');
};

/** In the format of sha256sum. */
export const checksumFile = 'SHA256SUMS';
