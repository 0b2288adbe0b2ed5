/** Bounded, lossless reading of a JSON body, whatever its Content-Type says. */
import { Failure, type FailureCode } from '../domain/errors.ts';
import { type Json, parseJson } from '../domain/json.ts';
import type { Incoming } from '../wire/incoming.ts';

/** How reading a body can fail. */
export const bodyFailures = [
  'malformed_json',
  'invalid_body',
  'malformed_request',
  'request_timeout',
  'body_too_large',
  'unsupported_encoding',
] as const satisfies readonly FailureCode[];

/** One for all bodies: a whole body at a time leaves nothing behind in it. */
const decoder = new TextDecoder('utf-8', { fatal: true });

/** At once where the whole body is here already, as a small one mostly is. */
export function readJson(request: Incoming, maxBytes: number): Json | Promise<Json> {
  requirePlain(request);
  const bytes = request.body.read(maxBytes);
  return bytes instanceof Promise ? bytes.then(parseBytes) : parseBytes(bytes);
}

export function requirePlain(request: Incoming): void {
  const encoding = request.header('content-encoding');
  if (encoding === null || encoding.toLowerCase() === 'identity') return;
  throw new Failure('unsupported_encoding', undefined, { headers: { 'Accept-Encoding': 'identity' } });
}

export function parseBytes(bytes: Uint8Array): Json {
  return parse(decode(bytes));
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw malformed('is not valid UTF-8');
  }
}

function parse(text: string): Json {
  if (text.trim() === '') throw malformed('is empty: send a JSON object');
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof RangeError) throw malformed('is nested too deeply');
    const reason = error instanceof Error ? error.message.replace('JSON Parse error: ', '') : '';
    throw malformed(`is not valid JSON (${reason.slice(0, 100)})`);
  }
}

function malformed(reason: string): Failure {
  return new Failure('malformed_json', `The body ${reason}.`, { problems: [{ field: '', message: reason }] });
}
