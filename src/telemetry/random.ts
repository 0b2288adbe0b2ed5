/** Random numbers of 32 bits. Made many at a time: every request without a parent takes one. */
const pool = new Uint32Array(1024);
let next = pool.length;

export function random32(): number {
  if (next === pool.length) {
    crypto.getRandomValues(pool);
    next = 0;
  }
  return pool[next++] ?? 0;
}
