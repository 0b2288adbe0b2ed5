/** Bounded, lossless reading of a JSON body, whatever its Content-Type says. */
import { Failure } from '../domain/errors.ts';
import { type Json, parseJson } from '../domain/json.ts';

export async function readJson(request: Request, maxBytes: number): Promise<Json> {
  const encoding = request.headers.get('Content-Encoding');
  if (encoding !== null && encoding.trim().toLowerCase() !== 'identity') {
    throw new Failure('unsupported_encoding', undefined, { headers: { 'Accept-Encoding': 'identity' } });
  }
  return parse(decode(await readBytes(request, maxBytes)));
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = request.headers.get('Content-Length');
  if (declared !== null && Number(declared) > maxBytes) throw tooLarge(maxBytes);
  try {
    // With a declared length within the bound the server reads no more than that.
    if (declared !== null || request.body === null) return await request.bytes();

    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of request.body) {
      size += chunk.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, size);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('malformed_json', 'The connection closed before the whole body had arrived.');
  }
}

function tooLarge(maxBytes: number): Failure {
  return new Failure('body_too_large', `The body is over the limit of ${maxBytes} bytes.`, {
    // What the client goes on to send is not another request.
    headers: { Connection: 'close' },
  });
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
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
