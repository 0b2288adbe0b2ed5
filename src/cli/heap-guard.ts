/**
 * Collects garbage in time where memory is scarce and the runtime does not know it: it lets its heap double between
 * collections by the memory of the machine or the limit of its own control group, and does not see those of the groups
 * above. Without this, a server under such a limit of 256 MB is killed while it fills a cache of 64 MiB.
 */
const lookMs = 25;

/** In bytes: `used` now, and `before` after the last collection. */
export function shouldCollect(used: number, before: number, usable: number): boolean {
  return used > usable / 2 && used > before + usable / 16;
}

/** Takes some 30 ms each time, with a heap of 100 MB. */
export function guardHeap(usable: number): void {
  if (usable >= process.constrainedMemory()) return;
  let before = 0;
  setInterval(() => {
    if (!shouldCollect(process.memoryUsage.rss(), before, usable)) return;
    Bun.gc(true);
    before = process.memoryUsage.rss();
  }, lookMs);
}
