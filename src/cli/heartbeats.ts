/**
 * Finds a worker that hangs: its event loop sends a beat each second, and the parent counts its own ticks since the last
 * one. It does not look at the clock, so that a machine that was suspended kills no worker when it wakes.
 */

/** Between two beats of a worker, and two ticks of its parent. */
export const beatMs = 1000;
/** A worker that was silent for so many ticks hangs. The first beat has as much time, from the start of the process. */
export const maxSilentTicks = 10;

/** What a worker sends. */
export const beat = 'beat';

export class Heartbeats<Worker> {
  readonly #silentTicks = new Map<Worker, number>();

  /** Also to begin with. */
  heard(worker: Worker): void {
    this.#silentTicks.set(worker, 0);
  }

  forget(worker: Worker): void {
    this.#silentTicks.delete(worker);
  }

  /** Answers the workers that hang, each once. */
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

/** Beats for as long as there is a parent. */
export function startBeating(): void {
  const send = () => {
    if (process.connected) process.send?.(beat);
  };
  send();
  setInterval(send, beatMs);
}
