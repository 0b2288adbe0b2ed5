/** Ctrl-C and other stop signals: a command for data ends at the next safe place. */
import { StartError } from '../../domain/errors.ts';
import { stopSignals } from '../signals.ts';

/** Thrown where a command stops. */
export class Interrupted extends StartError {}

/** `advice` says what was left, and how to continue. The returned signal is aborted with an Interrupted. */
export function onInterrupt(advice: string): AbortSignal {
  const controller = new AbortController();
  for (const signal of stopSignals) process.on(signal, () => controller.abort(new Interrupted(`Stopped. ${advice}`)));
  return controller.signal;
}
