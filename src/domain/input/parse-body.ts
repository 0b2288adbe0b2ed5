/** Parses a whole body as JSON. */
import { Failure } from '../errors.ts';
import { type Json, parseJson } from './json.ts';

/** Shared by all bodies: decoding a whole body at a time leaves no state in it. */
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Throws `malformed_json`. */
export function parseBytes(bytes: Uint8Array): Json {
  return parseText(decode(bytes));
}

/** `reason` continues "The body", as in "is empty". */
export function malformed(reason: string): Failure {
  return new Failure('malformed_json', {
    detail: `The body ${reason}.`,
    problems: [{ field: undefined, message: reason }],
  });
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw malformed('is not valid UTF-8');
  }
}

/** Throws `malformed_json`. */
export function parseText(text: string): Json {
  if (text.trim() === '') throw malformed('is empty: send a JSON object');
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof RangeError) throw malformed('is nested too deeply');
    const reason = error instanceof Error ? error.message.replace('JSON Parse error: ', '') : '';
    throw malformed(`is not valid JSON (${reason.slice(0, 100)})`);
  }
}
