/** Lets signals and timers run between batches: SQLite answers at once, so a loop over it never waits by itself. */

/** In milliseconds. */
const longest = 20;

/** Call the returned function after each batch. */
export function eventLoopYield(): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < longest) return;
    await new Promise((resolve) => setImmediate(resolve));
    last = performance.now();
  };
}
