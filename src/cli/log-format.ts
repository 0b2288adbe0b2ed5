/** Formats log entries as lines. Text from a client can neither end a line nor control a terminal. */
import type { Entry, Log } from '../http/observe/log-entry.ts';

/** Formats the entries that the settings want, and gives them to `write`. */
export function lineLog(format: 'json' | 'text', isOff: boolean, write: (line: string) => void): Log {
  const line = format === 'json' ? jsonLine : textLine;
  return (entry) => {
    // --log off omits requests only: a failure has its own entry.
    if (!isOff || entry.event !== 'request') write(line(entry, new Date()));
  };
}

export function jsonLine(entry: Entry, time: Date): string {
  const { level, event, ...rest } = entry;
  const fields = entry.event === 'error' ? { request_id: entry.request_id, error: wholeError(entry.error) } : rest;
  return `${printable(JSON.stringify({ time: time.toISOString(), level, event, ...fields }))}\n`;
}

export function textLine(entry: Entry, time: Date): string {
  const clock = dim(time.toISOString().slice(11, 19));
  if (entry.event === 'error') {
    const lines = wholeError(entry.error).split('\n').map(printable);
    return `${clock} ${paint(31, 'error')} ${dim(entry.request_id)}\n${lines.map((line) => `         ${line}\n`).join('')}`;
  }
  if (entry.event === 'storage')
    return `${clock} ${paint(entry.level === 'error' ? 31 : 32, 'storage')} ${printable(entry.message)}\n`;
  if (entry.event === 'certificate')
    return `${clock} ${paint(entry.level === 'warn' ? 33 : 32, 'certificate')} ${printable(entry.message)}\n`;
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

function wholeError(error: unknown): string {
  return error instanceof Error ? Bun.inspect(error) : String(error);
}

/** Escapes control characters, line separators and text-direction marks as in JSON. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

function paint(colour: number, text: string): string {
  return `\u001b[${colour}m${text}\u001b[39m`;
}

function dim(text: string): string {
  return `\u001b[2m${text}\u001b[22m`;
}
