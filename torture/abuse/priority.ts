/**
 * Whose turn it is on this machine: the attackers come last and the healthy client first, so that it is the server that
 * makes it wait, if anybody does.
 */
import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const { PRIORITY_LOW, PRIORITY_NORMAL, PRIORITY_HIGHEST } = constants.priority;

/** To go before others takes a privilege, and so does to give way no longer. */
const privileged = process.getuid?.() === 0;

/** On Linux the lowest priority still takes whole turns while others wait, and what is idle hardly any. */
export function comeLast(pid: number): void {
  setAll(pid, PRIORITY_LOW);
  // Without the privilege it could not be undone.
  if (privileged) schedule(pid, '--idle');
}

export function comeFirst(pid: number): void {
  if (privileged) setAll(pid, PRIORITY_HIGHEST);
}

export function comeAsUsual(pid: number): void {
  if (!privileged) return;
  schedule(pid, '--other');
  setAll(pid, PRIORITY_NORMAL);
}

/** On Linux each thread has a priority of its own. */
function setAll(pid: number, priority: number): void {
  const threads = process.platform === 'linux' ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid];
  for (const thread of threads) setPriority(thread, priority);
}

function schedule(pid: number, policy: '--idle' | '--other'): void {
  if (Bun.which('chrt') === null) return;
  Bun.spawnSync(['chrt', '--all-tasks', policy, '--pid', '0', String(pid)]);
}
