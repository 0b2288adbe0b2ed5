/** The Idempotency-Key: a retry with the same body gets the first answer again, another body is 422. The engines compare. */
import type { Caller } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';
import type { Once } from '../../domain/store/once.ts';
import type { Headers } from '../../wire/answer/reply.ts';
import type { Incoming } from '../../wire/request/incoming.ts';

/** Undefined if no key was sent. The result includes the caller, so callers do not share keys. Throws `invalid_key`. */
export function idempotencyKeyOf(request: Incoming, { id }: Caller): string | undefined {
  const header = request.header('idempotency-key');
  if (header === null) return undefined;
  const key = /^"([!#-~]{1,255})"$|^([!#-~]{1,255})$/.exec(header);
  if (key === null) throw new Failure('invalid_key');
  return id === '' ? (key[1] ?? key[2]) : `${id}/${key[1] ?? key[2]}`;
}

export function digestOf(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex');
}

/** `keptMs` is the TTL of the key. Undefined without a key. */
export function onceOf(
  key: string | undefined,
  keptMs: number,
  digests: () => Pick<Once, 'digest' | 'former'>,
): Once | undefined {
  return key === undefined ? undefined : { key, keptMs, ...digests() };
}

/** The headers of an answer that was given before. */
export function replayed(isRepeated: boolean): Headers {
  return isRepeated ? { 'Idempotent-Replayed': 'true' } : {};
}
