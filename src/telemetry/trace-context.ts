/** W3C Trace Context: the trace that a request comes from, and new ids. */

/** The span of the caller. */
export type Parent = { readonly traceId: string; readonly spanId: string; readonly isSampled: boolean };

/** A later version may have more parts. */
const traceparent = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:$|-)/;
const version00Length = 55;
const sampledFlag = 1;

/** Undefined for a header that is absent or not valid: the request then begins a trace. */
export function parentIn(header: string | null): Parent | undefined {
  if (header === null) return undefined;
  const [, version, traceId, spanId, flags] = traceparent.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === '00' && header.length !== version00Length) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0 };
}

/** `random` are the bits that the sampler has seen. */
export function newTraceId(random: number): string {
  const bytes = randomBytes(16);
  bytes.writeUInt32BE(random, 9);
  return bytes.toString('hex');
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

/** Not all of them are zero, which no id may be. */
function randomBytes(count: number): Buffer {
  const bytes = crypto.getRandomValues(Buffer.alloc(count));
  bytes[0] = (bytes[0] ?? 0) | 0x10;
  return bytes;
}
