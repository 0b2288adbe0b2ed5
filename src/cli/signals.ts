/** Which signal stops the server in which way. */

export const stopSignals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;
type StopSignal = (typeof stopSignals)[number];

/** `drain`: serve for --drain first. `finish`: answer what is in flight, and end. `at once`: wait for no request. */
export type Stop = 'drain' | 'finish' | 'at once';

/**
 * A terminal sends Ctrl-C to every process of the foreground, and npm and scripts/run.mjs send theirs on to the server:
 * one key press arrives two or three times within milliseconds, and must not count as the second signal.
 */
const togetherMs = 500;

/** Undefined for a signal that comes together with the first. `now` is in milliseconds. */
export function signalReader(): (signal: StopSignal, now: number) => Stop | undefined {
  let first: number | undefined;
  return (signal, now) => {
    if (first !== undefined) return now - first < togetherMs ? undefined : 'at once';
    first = now;
    // Ctrl-C comes from a person who waits for the prompt.
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
