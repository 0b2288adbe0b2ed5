/**
 * Scheduling priorities: lowest for the attackers and highest for the healthy client, so that only the server can delay
 * it.
 */
import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const { PRIORITY_LOW, PRIORITY_NORMAL, PRIORITY_HIGHEST } = constants.priority;

/** Only root can raise a priority, even back to normal. */
const privileged = process.getuid?.() === 0;

/** On Linux the lowest priority still gets whole time slices while others wait; the idle policy gets almost none. */
export function comeLast(pid: number): void {
  setAll(pid, PRIORITY_LOW);
  // Only root can undo it.
  if (privileged) schedule(pid, '--idle');
}

/** A process with the highest priority can still wait some milliseconds for the time slice of another one to end. With a real-time policy it does not. */
export function comeFirst(pid: number): void {
  if (!privileged) return;
  setAll(pid, PRIORITY_HIGHEST);
  schedule(pid, '--fifo');
}

export function comeAsUsual(pid: number): void {
  if (!privileged) return;
  schedule(pid, '--other');
  setAll(pid, PRIORITY_NORMAL);
}

/** On Linux each thread has its own priority. */
function setAll(pid: number, priority: number): void {
  const threads = process.platform === 'linux' ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid];
  for (const thread of threads) setPriority(thread, priority);
}

function schedule(pid: number, policy: '--idle' | '--other' | '--fifo'): void {
  if (Bun.which('chrt') === null) return;
  // Only a real-time policy has priorities, and 1 is its lowest.
  Bun.spawnSync(['chrt', '--all-tasks', policy, '--pid', policy === '--fifo' ? '1' : '0', String(pid)]);
}
