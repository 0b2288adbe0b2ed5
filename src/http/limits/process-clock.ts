/** A clock that all threads of the process share: `performance.now()` begins at 0 in each of them. */
import { FFIType } from 'bun:ffi';
import { callLibc } from '../../wire/port/libc.ts';

const clockMonotonic = process.platform === 'darwin' ? 6 : 1;
/** The thread may be suspended between the two clocks: the shortest of so many readings counts. */
const readings = 20;

/** Returns a function for the time in milliseconds, which never goes back. */
export function processClock(): () => number {
  // Without the C library there is one thread, and any origin will do.
  const offset = offsetToSystem() ?? 0;
  return () => performance.now() + offset;
}

/**
 * Milliseconds from the clock of this thread to the monotonic clock of the system. `performance.timeOrigin` would not
 * do: it is the time of day, and threads that start before and after it is set would differ by that for ever.
 */
function offsetToSystem(): number | undefined {
  const { i32, ptr } = FFIType;
  return callLibc({ clock_gettime: { args: [i32, ptr], returns: i32 } }, ({ clock_gettime }) => {
    const time = new BigInt64Array(2);
    let best = { took: Number.POSITIVE_INFINITY, offset: 0 };
    for (let n = 0; n < readings; n++) {
      const before = performance.now();
      clock_gettime(clockMonotonic, time);
      const took = performance.now() - before;
      const [seconds = 0n, nanoseconds = 0n] = time;
      const offset = Number(seconds) * 1000 + Number(nanoseconds) / 1e6 - (before + took / 2);
      if (took < best.took) best = { took, offset };
    }
    return best.offset;
  });
}
