/** Collects garbage before the runtime would: it lets its heap double several times first. */

/** In bytes: memory that is taken before the first collection, and before each further one. */
const allowed = { first: 24 * 1024 * 1024, next: 8 * 1024 * 1024 };

/** The returned function is to be called often. */
export function collector(): () => void {
  let most = process.memoryUsage.rss() + allowed.first;
  return () => {
    if (process.memoryUsage.rss() <= most) return;
    Bun.gc(true);
    most = Math.max(most, process.memoryUsage.rss() + allowed.next);
  };
}
