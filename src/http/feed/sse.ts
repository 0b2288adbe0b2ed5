/** Server-sent events as text (HTML standard, section 9.2). */
import type { Bytes } from '../../domain/bytes.ts';
import { type Change, wholeTransactions } from '../../domain/feed/change.ts';

/** One change as an event. */
export type Event = Pick<Change, 'changeNumber' | 'transaction'> & { readonly text: string };
/** Events after one position in the order of changes, and the position after them. */
export type Batch = { readonly bytes: Bytes; readonly to: number };

/** Characters per batch; the event that ends it may exceed the limit. */
export const batchLength = 64 * 1024;
/** The delay, in milliseconds, before a client should reconnect. */
const retryMs = 1000;

const encoder = new TextEncoder();

export function encode(text: string): Bytes {
  return encoder.encode(text);
}

/**
 * Takes events up to `batchLength`, and no part of a transaction that fits into the next batch. If these are all events, the position after them
 * is `end`.
 */
export function batchOf(events: readonly Event[], end: number): Batch {
  let count = 0;
  for (let length = 0; count < events.length && length < batchLength; count++)
    length += events[count]?.text.length ?? 0;
  const next = events[count];
  if (next === undefined) return batchUpTo(events, end);
  const { kept, isPartial } = wholeTransactions(events.slice(0, count), next.transaction?.first);
  const last = kept.at(-1);
  return batchUpTo(kept, last === undefined || isPartial ? (last?.changeNumber ?? end) : endOf(last));
}

function batchUpTo(events: readonly Event[], to: number): Batch {
  const last = events.at(-1);
  const text = events.map((event) => event.text).join('');
  // The end of the transaction is of another collection, or does not match: the client learns that it has its part of it.
  const isWhole = last !== undefined && last.changeNumber < endOf(last) && endOf(last) <= to;
  return { bytes: encode(isWhole ? text + positionText(to) : text), to };
}

/** The last number of the transaction, or of the change alone. */
function endOf({ changeNumber, transaction }: Event): number {
  return transaction === undefined ? changeNumber : transaction.first + transaction.size - 1;
}

export function eventText(changeNumber: number, type: string, data: string): string {
  return `id: ${changeNumber}\nevent: ${type}\ndata: ${data}\n\n`;
}

export function welcomeText(position: number): string {
  return `retry: ${retryMs}\nid: ${position}\n\n`;
}

/** The changes up to this position are trimmed or lost: the client has to read the lists again. */
export function resyncText(position: number): string {
  return `retry: ${retryMs}\nid: ${position}\nevent: resync\ndata: {"after":${position}}\n\n`;
}

/** A heartbeat with the position, so that a client of a quiet collection learns it too. */
export function positionText(position: number): string {
  return `: still here\nid: ${position}\n\n`;
}
