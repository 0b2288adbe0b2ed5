/** W3C Trace Context: the trace that a request comes from, and new ids. */
import { random32 } from './random.ts';

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
  // A trace id must not be zero: its first digit is not.
  const head = hex(random32() | 0x10000000) + hex(random32());
  return `${head}${hex(random32()).slice(6)}${hex(random)}${hex(random32()).slice(2)}`;
}

export function newSpanId(): string {
  return hex(random32() | 0x10000000) + hex(random32());
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
