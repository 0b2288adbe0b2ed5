/** Ctrl-C and other stop signals: a command for data ends at the next safe place. */
import { StartError } from '../../domain/errors.ts';
import { stopSignals } from '../process/signals.ts';

/** Thrown where a command stops. */
export class Interrupted extends StartError {}

/** As in signals.ts: npm forwards a Ctrl-C that the terminal has already sent. In milliseconds. */
const togetherMs = 500;

/**
 * `advice` says what was left, and how to continue. The returned signal is aborted with an Interrupted. A second Ctrl-C does not wait:
 * every command can be killed at any moment.
 */
export function onInterrupt(advice: string): AbortSignal {
  const controller = new AbortController();
  let first: number | undefined;
  for (const signal of stopSignals)
    process.on(signal, () => {
      first ??= performance.now();
      if (performance.now() - first > togetherMs) process.exit(1);
      controller.abort(new Interrupted(`Stopped. ${advice}`));
    });
  return controller.signal;
}
