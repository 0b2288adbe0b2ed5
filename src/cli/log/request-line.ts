/**
 * The log line of a request as JSON: the text of `entryLine`, but written as bytes, because every request has one. As strings, its parts, the
 * line, its batch and the output would each be a copy.
 */

import type { RequestEntry } from '../../http/observe/log-entry.ts';

/**
 * Text that many lines have, as words in little-endian order: to store four bytes takes as long as to store one. The last word may have bytes
 * that are not of the text; whatever is written next replaces them.
 */
type Words = { readonly words: Int32Array; readonly length: number };

function wordsOf(text: string): Words {
  const bytes = Buffer.alloc(Math.ceil(text.length / 4) * 4);
  bytes.write(text, 'latin1');
  return {
    words: Int32Array.from({ length: bytes.length / 4 }, (_, n) => bytes.readInt32LE(n * 4)),
    length: text.length,
  };
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const methodWords = new Map(methods.map((method) => [method, wordsOf(`","method":"${method}","path":"`)]));
const statusWords = (status: number) => wordsOf(`","status":${status},"bytes":`);
const statuses = Array.from({ length: 600 }, (_, status) => statusWords(status));
const msWords = wordsOf(',"ms":');
const clientWords = wordsOf(',"client":"');
const keyWords = wordsOf('","key":"');
const certificateWords = wordsOf('","certificate":"');
const traceWords = wordsOf('","trace_id":"');
const endWords = wordsOf('"}\n');
const noWords = wordsOf('');
/** From 0 to 999, one word each. */
const integers = Array.from({ length: 1000 }, (_, n) => wordsOf(String(n)));
/** What follows the whole number of milliseconds. */
const thousandths = Array.from({ length: 1000 }, (_, n) => wordsOf(n === 0 ? '' : String(n / 1000).slice(1)));
/** More than the names and numbers of a line have. */
const otherBytes = 400;

/**
 * Writes the line at `start` and returns its end; -1 if it does not fit, or needs more than copying: then `entryLine` has to make it.
 * `time` is ISO text.
 */
export type WriteRequestLine = (entry: RequestEntry, time: string, into: Buffer, start: number) => number;

export function requestLines(): WriteRequestLine {
  let lastTime = '';
  let timePart = Buffer.alloc(0);
  let viewed: Buffer = timePart;
  let view = viewOf(viewed);
  return (entry, time, into, start) => {
    const { level, request_id, method, path, status, bytes, ms, client, slow } = entry;
    if (level !== 'info' || slow !== undefined) return -1;
    const words = methodWords.get(method);
    const { key, certificate, trace_id } = entry;
    const texts = path.length + request_id.length + client.length + (key?.length ?? 0) + (certificate?.length ?? 0);
    if (words === undefined || start + texts + otherBytes > into.length) return -1;
    if (time !== lastTime) {
      lastTime = time;
      timePart = Buffer.from(`{"time":"${time}","level":"info","event":"request","request_id":"`);
    }
    if (into !== viewed) {
      viewed = into;
      view = viewOf(into);
    }
    const microseconds = Math.round(ms * 1000);
    const wholeMs = Math.floor(microseconds / 1000);
    into.set(timePart, start);
    let at = writeText(request_id, into, start + timePart.length);
    at = writeWords(words, view, at);
    at = writePlain(path, into, at);
    if (at < 0) return -1;
    at = writeWords(statuses[status] ?? statusWords(status), view, at);
    at = writeWords(integers[bytes] ?? wordsOf(String(bytes)), view, at);
    at = writeWords(msWords, view, at);
    at = writeWords(integers[wholeMs] ?? wordsOf(String(wholeMs)), view, at);
    at = writeWords(thousandths[microseconds - wholeMs * 1000] ?? noWords, view, at);
    at = writeWords(clientWords, view, at);
    at = writeText(client, into, at);
    if (key !== undefined) at = writePlain(key, into, writeWords(keyWords, view, at));
    if (at >= 0 && certificate !== undefined)
      at = writePlain(certificate, into, writeWords(certificateWords, view, at));
    if (at < 0) return -1;
    if (trace_id !== undefined) at = writeText(trace_id, into, writeWords(traceWords, view, at));
    return writeWords(endWords, view, at);
  };
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

function writeWords({ words, length }: Words, view: DataView, at: number): number {
  for (let n = 0; n < words.length; n++) view.setInt32(at + n * 4, words[n] ?? 0, true);
  return at + length;
}

/** Returns -1 if the text needs an escape in JSON, or could control a terminal. A loop takes a third of the time of a pattern. */
function writePlain(text: string, into: Buffer, at: number): number {
  for (let n = 0; n < text.length; n++) {
    const unit = text.charCodeAt(n);
    if (unit < 0x20 || unit > 0x7e || unit === 0x22 || unit === 0x5c) return -1;
    into[at + n] = unit;
  }
  return at + text.length;
}

/** Of ASCII. */
function writeText(text: string, into: Buffer, at: number): number {
  for (let n = 0; n < text.length; n++) into[at + n] = text.charCodeAt(n);
  return at + text.length;
}
