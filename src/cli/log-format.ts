/** Log entries as lines. Nothing that a client sends can end a line or reach a terminal as a command. */
import type { ErrorEntry, RequestEntry } from '../http/observe.ts';

export type Entry = RequestEntry | ErrorEntry;

export function jsonLine(entry: Entry, time: Date): string {
  const { level, event, ...rest } = entry;
  const told = entry.event === 'error' ? { request_id: entry.request_id, error: wholeError(entry.error) } : rest;
  return `${printable(JSON.stringify({ time: time.toISOString(), level, event, ...told }))}\n`;
}

export function textLine(entry: Entry, time: Date): string {
  const clock = dim(time.toISOString().slice(11, 19));
  if (entry.event === 'error') {
    const lines = wholeError(entry.error).split('\n').map(printable);
    return `${clock} ${red('error')} ${dim(entry.request_id)}\n${lines.map((line) => `         ${line}\n`).join('')}`;
  }
  const { method, path, status, bytes, ms, request_id } = entry;
  const colour = status < 400 ? green : status < 500 ? yellow : red;
  return `${clock} ${colour(String(status))} ${method.padEnd(6)} ${printable(path)} ${dim(`${bytes} B  ${ms} ms  ${request_id}`)}\n`;
}

function wholeError(error: unknown): string {
  return error instanceof Error ? Bun.inspect(error) : String(error);
}

/** Control characters, line separators and text-direction marks are shown as escapes. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
  });
}

const colour = (code: number) => (text: string) => `\u001b[${code}m${text}\u001b[39m`;
const green = colour(32);
const yellow = colour(33);
const red = colour(31);
const dim = (text: string) => `\u001b[2m${text}\u001b[22m`;
