/** A random seed for hashes of client names, so that no client can choose a name that collides with another one. */
export function newSeed(): number {
  return crypto.getRandomValues(new Int32Array(1))[0] ?? 0;
}
