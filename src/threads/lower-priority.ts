/** Lowers the priority of a thread with long work, so that the threads that serve requests run first. */
import { constants, getPriority, setPriority } from 'node:os';

/** Lowers the priority of the calling thread. Linux only: elsewhere it would affect the whole process. */
export function lowerPriority(): void {
  const lowered = constants.priority.PRIORITY_BELOW_NORMAL;
  try {
    if (process.platform === 'linux' && getPriority(0) < lowered) setPriority(0, lowered);
  } catch {
    // Some systems forbid it. The priority is optional.
  }
}
