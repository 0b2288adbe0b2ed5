/** Bounded, lossless reading of a JSON body, whatever its Content-Type says. */
import { Failure } from '../domain/errors.ts';
import { type Json, parseJson } from '../domain/json.ts';

/** One for all bodies: a whole body at a time leaves nothing behind in it. */
const decoder = new TextDecoder('utf-8', { fatal: true });

export function readJson(request: Request, maxBytes: number): Promise<Json> {
  const { headers } = request;
  const encoding = headers.get('Content-Encoding');
  if (encoding !== null && encoding.trim().toLowerCase() !== 'identity') {
    throw new Failure('unsupported_encoding', undefined, { headers: { 'Accept-Encoding': 'identity' } });
  }
  const declared = headers.get('Content-Length');
  if (declared !== null && Number(declared) > maxBytes) throw tooLarge(maxBytes);
  // With a declared length within the bound the server reads no more than that.
  const bytes = declared !== null || request.body === null ? request.bytes() : readChunks(request.body, maxBytes);
  return bytes.then(parseBytes, brokenOff);
}

async function readChunks(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function parseBytes(bytes: Uint8Array): Json {
  return parse(decode(bytes));
}

function brokenOff(error: unknown): never {
  if (error instanceof Failure) throw error;
  throw new Failure('malformed_json', 'The connection closed before the whole body had arrived.');
}

function tooLarge(maxBytes: number): Failure {
  return new Failure('body_too_large', `The body is over the limit of ${maxBytes} bytes.`, {
    // What the client goes on to send is not another request.
    headers: { Connection: 'close' },
  });
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
