/**
 * The log line of a request as JSON: the text of `entryLine`, made without an object, because every request has one. The time that a line
 * takes depends on the number of its parts: those that many lines share are kept.
 */

import { printable } from '../../domain/input/printable.ts';
import type { RequestEntry } from '../../http/observe/log-entry.ts';
import { entryLine } from './entry-line.ts';

const statusPart = (status: number) => flat(['","status":', status, ',"bytes":']);
const msPart = (ms: number) => flat([',"ms":', ms, ',"client":"']);
const statusParts = Array.from({ length: 600 }, (_, status) => statusPart(status));
/** By microseconds, up to a millisecond. */
const msParts = Array.from({ length: 1000 }, (_, micros) => msPart(micros / 1000));

/** `time` is ISO text. */
export function requestLines(): (entry: RequestEntry, time: string) => string {
  const timePart = kept((time) => ['{"time":"', time, '","level":"info","event":"request","request_id":"']);
  const methodPart = kept((method) => ['","method":', quoted(method), ',"path":"']);
  const anonymousEnd = kept((client) => [client, '"}\n']);
  return (entry, time) => {
    const { level, request_id, method, path, status, bytes, ms, client, key, certificate, trace_id, slow } = entry;
    if (level !== 'info' || slow !== undefined || !needsNoEscape(path)) return entryLine(entry, time);
    const isAnonymous = key === undefined && certificate === undefined && trace_id === undefined;
    const end = isAnonymous ? anonymousEnd(client) : endOf(entry);
    const statusText = statusParts[status] ?? statusPart(status);
    const msText = msParts[Math.round(ms * 1000)] ?? msPart(ms);
    return `${timePart(time)}${request_id}${methodPart(method)}${path}${statusText}${bytes}${msText}${end}`;
  };
}

function endOf({ client, key, certificate, trace_id }: RequestEntry): string {
  let end = `${client}"`;
  if (key !== undefined) end += `,"key":${quoted(key)}`;
  if (certificate !== undefined) end += `,"certificate":${quoted(certificate)}`;
  if (trace_id !== undefined) end += `,"trace_id":${quoted(trace_id)}`;
  return `${end}}\n`;
}

/** Made again only when the value changes. */
function kept(partsOf: (value: string) => readonly string[]): (value: string) => string {
  let last: { readonly value: string; readonly text: string } | undefined;
  return (value) => {
    if (last?.value !== value) last = { value, text: flat(partsOf(value)) };
    return last.text;
  };
}

/** One copy of the parts. A template string only refers to its parts, so each line would have to copy all of them. */
function flat(parts: readonly (string | number)[]): string {
  return parts.join('');
}

/** Has no escape in JSON, and cannot control a terminal. A loop takes a third of the time of a pattern. */
function needsNoEscape(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20 || unit > 0x7e || unit === 0x22 || unit === 0x5c) return false;
  }
  return true;
}

function quoted(text: string): string {
  return needsNoEscape(text) ? `"${text}"` : printable(JSON.stringify(text));
}
