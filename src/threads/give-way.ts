/** For a thread whose work may take long: where threads have priorities of their own, those that serve everybody go first. */
import { constants, setPriority } from 'node:os';

/** Of the thread that calls it; elsewhere than on Linux it would be the whole process. */
export function giveWay(): void {
  if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
}
