/** What is known of a request while it is handled. */
import type { Caller } from '../../domain/caller.ts';
import type { Headers } from '../../wire/reply.ts';

export type Context = {
  readonly requestId: string;
  readonly start: number;
  /** Still encoded, without the query. */
  readonly path: string;
  /** The path of its route, as declared; empty where there is none. */
  route: string;
  caller: Caller | undefined;
  /** For the answer, whatever it is. */
  headers: Headers | undefined;
  /** The answer is for one who asks with a key: nothing between may keep it for another. */
  private: boolean;
  answered: boolean;
  /** Its place among the requests under way; undefined while it has none. */
  slot: string | undefined;
};
