/** Failures of requests, for the screen. */
import { ShelfError } from '../../src/client/send/failure.ts';

export { type Problem, ShelfError } from '../../src/client/send/failure.ts';

/** What to tell a person about anything that was thrown. */
export function messageOf(error: unknown): string {
  if (!(error instanceof ShelfError)) return error instanceof Error ? error.message : String(error);
  // A write that the server has answered: its own words say more than that the outcome is unknown.
  if (error.cause instanceof ShelfError && error.status !== 0) return messageOf(error.cause);
  if (error.code === 'unexpected_answer') return `The server answered with status ${error.status}.`;
  const isLost = error.status === 0 && ['connection_lost', 'timed_out', 'outcome_unknown'].includes(error.code);
  return isLost ? 'The server does not answer. Check that it runs, then retry.' : error.message;
}
