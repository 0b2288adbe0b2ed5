/** The thread that reads large bodies, so that nobody who sends a small one waits behind them. */
import { Failure } from '../../domain/errors.ts';
import { giveWay } from '../../threads/give-way.ts';
import { parseBytes } from './parse.ts';
import { type Shallow, shallow } from './shallow.ts';

declare const self: Worker;

/** `keys` are the members that are asked for. */
export type Question = {
  readonly number: number;
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
  readonly keys: readonly string[];
};
/** What is in it, or why nothing is. */
export type Answer = { readonly number: number } & ({ readonly found: Shallow } | { readonly wrong: string });

function answer({ number, pieces, keys }: Question): Answer {
  try {
    return { number, found: shallow(parseBytes(Buffer.concat(pieces)), keys) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { number, wrong: error.problems?.[0]?.message ?? '' };
  }
}

giveWay();

/** The first message is answered with null; null is the last. */
self.onmessage = () => {
  self.onmessage = ({ data }: MessageEvent<Question | null>) => self.postMessage(data === null ? null : answer(data));
  self.postMessage(null);
};
