/** Which failures are retried, and when. */
import { ShelfError, withMore } from './failure.ts';

/**
 * `read`: changes nothing. `keyed`: a write under an Idempotency-Key, which happens once however often it is sent. `once`: any
 * other write, which is sent again only if it certainly did not happen.
 */
export type Safety = 'read' | 'keyed' | 'once';

const retried: readonly number[] = [429, 502, 503, 504];
/** With these, Shelf says that nothing was changed. */
const refusals: readonly string[] = [
  'rate_limited',
  'storage_unavailable',
  'overloaded',
  'timed_out',
  'not_ready',
  'issuer_unavailable',
];
/** The system says that no connection was made, so nothing was sent: in Node, and in Bun. */
const unsent: readonly unknown[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ConnectionRefused',
  'FailedToOpenSocket',
];

/** Whether the request did certainly not take effect. */
function didNotHappen({ status, code, cause }: ShelfError): boolean {
  if (status !== 0) return status < 500 || refusals.includes(code);
  const { code: own, cause: inner } = (cause ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  return unsent.includes(own) || unsent.includes(inner?.code);
}

function isLost({ code, status }: ShelfError): boolean {
  return code === 'connection_lost' || (code === 'timed_out' && status === 0);
}

export function mayRetry(safety: Safety, failure: ShelfError): boolean {
  if (!isLost(failure) && !retried.includes(failure.status)) return false;
  return safety !== 'once' || didNotHappen(failure);
}

/** Whether an attempt may have taken effect although it failed. */
export function mayHaveHappened(safety: Safety, failure: ShelfError): boolean {
  return safety !== 'read' && !didNotHappen(failure);
}

/** Whether an answer about the request itself shows that no earlier attempt with the same key has taken effect. */
function isConclusive({ status }: ShelfError): boolean {
  return status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status);
}

/** The failure to throw; `isUnknown` if some attempt may have taken effect. */
export function finalFailure(failure: ShelfError, isUnknown: boolean, idempotencyKey: string | undefined): ShelfError {
  const more = { idempotencyKey };
  if (!isUnknown || isConclusive(failure) || failure.code === 'outcome_unknown') return withMore(failure, more);
  const message = `The outcome of this write is unknown: ${failure.message}`;
  const { status, requestId } = failure;
  return new ShelfError('outcome_unknown', message, { status, requestId, ...more, cause: failure });
}

const firstWaitMs = 100;
const longestWaitMs = 10_000;

/** Milliseconds: doubles with each attempt, at random between half and all of it, and never less than the server asked for. */
export function waitBefore(attempt: number, retryAfter: number | undefined): number {
  const most = Math.min(firstWaitMs * 2 ** attempt, longestWaitMs);
  return Math.max(most * (0.5 + Math.random() / 2), (retryAfter ?? 0) * 1000);
}

/** Seconds, from a number or a date. */
export function retryAfterIn(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(seconds, 0);
}
