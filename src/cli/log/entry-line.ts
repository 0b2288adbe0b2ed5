/** The line of any log entry as JSON. */

import { printable } from '../../domain/input/printable.ts';
import type { Entry } from '../../http/observe/log-entry.ts';

/** `time` is ISO text. */
export function entryLine(entry: Entry, time: string): string {
  const { level, event, ...rest } = entry;
  const fields = entry.event === 'error' ? { request_id: entry.request_id, error: wholeError(entry.error) } : rest;
  return `${printable(JSON.stringify({ time, level, event, ...fields }))}\n`;
}

export function wholeError(error: unknown): string {
  return error instanceof Error ? Bun.inspect(error) : String(error);
}
