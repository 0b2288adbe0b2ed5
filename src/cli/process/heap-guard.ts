/**
 * Forces garbage collection when memory is scarce and the runtime does not know it. The runtime lets its heap double between
 * collections, by the memory of the machine or the limit of its own control group (cgroup); it does not see the limits of
 * parent groups. Without this, a server under such a limit of 256 MB is killed while it fills a cache of 64 MiB.
 */
const checkMs = 25;

/** In bytes: resident memory now (`used`) and after the last collection (`before`), and the limit (`usable`). */
export function shouldCollect(used: number, before: number, usable: number): boolean {
  return used > usable / 2 && used > before + usable / 16;
}

/** A collection takes about 30 ms with a heap of 100 MB. */
export function guardHeap(usable: number): void {
  if (usable >= process.constrainedMemory()) return;
  let before = 0;
  setInterval(() => {
    if (!shouldCollect(process.memoryUsage.rss(), before, usable)) return;
    Bun.gc(true);
    before = process.memoryUsage.rss();
  }, checkMs);
}
