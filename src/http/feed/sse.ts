/** Server-sent events as text (HTML standard, section 9.2). */
import type { Bytes } from '../../domain/bytes.ts';
import { type Change, wholeTransactions } from '../../domain/feed/change.ts';

/** One change as an event. `collection` is the name. */
export type Event = Pick<Change, 'changeNumber' | 'transaction'> & {
  readonly collection: string;
  readonly text: string;
};
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
  let text = '';
  for (const [index, event] of events.entries()) {
    text += event.text;
    if (text.length < batchLength) continue;
    const { kept } = wholeTransactions(events.slice(0, index + 1), events[index + 1]?.transaction?.first);
    const whole = kept.length > index ? text : kept.map((one) => one.text).join('');
    return { bytes: encode(whole), to: kept.at(-1)?.changeNumber ?? end };
  }
  return { bytes: encode(text), to: end };
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
