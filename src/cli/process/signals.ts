/** Maps signals to the ways to stop the server. */

export const stopSignals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;
type StopSignal = (typeof stopSignals)[number];

/** `drain`: serve for --drain first. `finish`: answer requests in flight, then exit. `at once`: wait for no request. */
export type Stop = 'drain' | 'finish' | 'at once';

/**
 * On Ctrl-C a terminal signals every foreground process, and npm and scripts/run.mjs forward the signal to the server: one
 * key press arrives two or three times within milliseconds, and must not count as a second signal.
 */
const togetherMs = 500;

/** The reader returns undefined for a duplicate of the first signal. `now` is in milliseconds. */
export function signalReader(): (signal: StopSignal, now: number) => Stop | undefined {
  let first: number | undefined;
  return (signal, now) => {
    if (first !== undefined) return now - first < togetherMs ? undefined : 'at once';
    first = now;
    // No drain on Ctrl-C: a person waits for the prompt.
    return signal === 'SIGINT' ? 'finish' : 'drain';
  };
}

export function onStop(stop: (how: Stop) => void): void {
  const read = signalReader();
  for (const signal of stopSignals) {
    process.on(signal, () => {
      const how = read(signal, performance.now());
      if (how !== undefined) stop(how);
    });
  }
}

/** Ends early when `atOnce` is aborted. */
export async function pause(ms: number, atOnce: AbortSignal): Promise<void> {
  if (ms === 0 || atOnce.aborted) return;
  const aborted = new Promise<void>((resolve) => atOnce.addEventListener('abort', () => resolve()));
  await Promise.race([Bun.sleep(ms), aborted]);
}
