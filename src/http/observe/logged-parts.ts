/** Logs an error in the middle of an answer: its head is sent, so the connection can only cut it. */
import type { Bytes } from '../../domain/bytes.ts';
import type { Live, Parts } from '../../wire/answer/reply.ts';

/** Live answers are not for this: the feed logs an error once for all of its listeners. */
export function loggedParts(parts: Exclude<Parts, Live>, log: (error: unknown) => void): AsyncIterator<Bytes> {
  return {
    async next() {
      try {
        return await parts.next();
      } catch (error) {
        log(error);
        throw error;
      }
    },
    /** Not awaited by the connection, so it never rejects. */
    async return() {
      try {
        await parts.return?.();
      } catch (error) {
        log(error);
      }
      return { done: true, value: undefined };
    },
  };
}
