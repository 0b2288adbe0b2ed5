/** Formats log entries as lines. Text from a client can neither end a line nor control a terminal. */

import { printable } from '../../domain/input/printable.ts';
import type { Entry, LogLevel } from '../../http/observe/log-entry.ts';
import { entryLine, wholeError } from './entry-line.ts';

export type LogForm = 'json' | 'text';

/** `time` is ISO text. */
export function lineOf(form: LogForm): (entry: Entry, time: string) => string {
  return form === 'text' ? textLine : entryLine;
}

const colours: Readonly<Record<LogLevel, number>> = { info: 32, warn: 33, error: 31 };

/** `time` is ISO text. */
export function textLine(entry: Entry, time: string): string {
  const clock = dim(time.slice(11, 19));
  if (entry.event === 'error') {
    const lines = wholeError(entry.error).split('\n').map(printable);
    return `${clock} ${paint(31, 'error')} ${dim(entry.request_id)}\n${lines.map((line) => `         ${line}\n`).join('')}`;
  }
  if ('message' in entry) return `${clock} ${paint(colours[entry.level], entry.event)} ${printable(entry.message)}\n`;
  if (entry.event === 'handshake')
    return `${clock} ${paint(33, 'handshake')} ${printable(entry.reason)} ${dim(entry.client)}\n`;
  if (entry.event === 'key') {
    const { action, name, id, by, request_id } = entry;
    return `${clock} ${paint(32, 'key')} ${printable(name)} ${action} by ${printable(by)} ${dim(`${id}  ${request_id}`)}\n`;
  }
  const { method, path, status, bytes, ms, request_id, client, key, certificate, slow } = entry;
  const colour = status < 400 ? 32 : status < 500 ? 33 : 31;
  const why = slow === undefined ? undefined : `slow: ${slow.body_ms} ms body, ${slow.work_ms} ms work`;
  const named = certificate === undefined ? undefined : printable(certificate);
  const details = [`${bytes} B`, `${ms} ms`, request_id, client, key, named, why].filter((one) => one !== undefined);
  const tail = dim(details.join('  '));
  return `${clock} ${paint(colour, String(status))} ${method.padEnd(6)} ${printable(path)} ${tail}\n`;
}

function paint(colour: number, text: string): string {
  return `\u001b[${colour}m${text}\u001b[39m`;
}

function dim(text: string): string {
  return `\u001b[2m${text}\u001b[22m`;
}
