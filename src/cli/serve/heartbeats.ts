/**
 * Detects workers that hang. The event loop of a worker sends a heartbeat every second, and the parent counts its own ticks
 * since the last one. It does not read the clock, so that no worker is killed when a suspended machine resumes.
 */

/** Interval between two heartbeats of a worker, and between two ticks of the parent. */
export const beatMs = 1000;
/** A worker without a heartbeat for this many ticks hangs. The first heartbeat has the same time, from process start. */
export const maxSilentTicks = 10;

/** The heartbeat message. */
export const beat = 'beat';

export class Heartbeats<Worker> {
  readonly #silentTicks = new Map<Worker, number>();

  /** Call also when the worker starts. */
  heard(worker: Worker): void {
    this.#silentTicks.set(worker, 0);
  }

  forget(worker: Worker): void {
    this.#silentTicks.delete(worker);
  }

  /** Returns the workers that hang, each once. */
  tick(): Worker[] {
    const hung: Worker[] = [];
    for (const [worker, silent] of this.#silentTicks) {
      this.#silentTicks.set(worker, silent + 1);
      if (silent + 1 >= maxSilentTicks) hung.push(worker);
    }
    for (const worker of hung) this.forget(worker);
    return hung;
  }
}

/** Sends heartbeats while the parent is connected. */
export function startBeating(): void {
  const send = () => {
    if (process.connected) process.send?.(beat);
  };
  send();
  setInterval(send, beatMs);
}
