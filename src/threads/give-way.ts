/** For a thread whose work may take long: where threads have priorities of their own, those that serve everybody go first. */
import { constants, getPriority, setPriority } from 'node:os';

/** Of the thread that calls it; elsewhere than on Linux it would be the whole process. */
export function giveWay(): void {
  const lower = constants.priority.PRIORITY_BELOW_NORMAL;
  try {
    if (process.platform === 'linux' && getPriority(0) < lower) setPriority(0, lower);
  } catch {
    // A system that forbids it is served all the same.
  }
}
