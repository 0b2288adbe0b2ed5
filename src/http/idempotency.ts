/** A key by which a request that is sent again is known for the one that was answered before. */
import { Failure } from '../domain/errors.ts';
import type { Once } from '../domain/store.ts';
import type { Incoming } from '../wire/incoming.ts';

/** Undefined where no key was sent. `content` is what it was sent with, encoded; `keptMs` is how long keys count. */
export function onceOf(request: Incoming, content: string, keptMs: number): Once | undefined {
  const header = request.header('idempotency-key');
  if (header === null) return undefined;
  const key = /^"([!#-~]{1,255})"$|^([!#-~]{1,255})$/.exec(header);
  if (key === null) throw new Failure('invalid_key');
  return {
    key: key[1] ?? key[2] ?? '',
    digest: new Bun.CryptoHasher('sha256').update(content).digest('hex'),
    after: new Date(Date.now() - keptMs).toISOString(),
  };
}
