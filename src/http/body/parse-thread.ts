/** The thread that parses large bodies, so that small ones do not wait behind them. */
import { Failure } from '../../domain/errors.ts';
import { parseBytes } from '../../domain/input/parse-body.ts';
import type { Members } from '../../domain/record/row.ts';
import { LongWork, type LongWorkMemory } from '../../threads/long-work.ts';
import { lowerPriority } from '../../threads/lower-priority.ts';
import { type BodyOutline, outlineOf } from './body-outline.ts';

declare const self: Worker;

export type ParseRequest = {
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
  readonly members: Members;
};
/** The body, or why it is malformed. */
export type ParseResult = { readonly found: BodyOutline } | { readonly wrong: string };

/** In bytes. A smaller body takes a few milliseconds at most, as long as a turn of another thread. */
const longBytes = 256 * 1024;

function isLong({ pieces }: ParseRequest): boolean {
  return pieces.reduce((size, { length }) => size + length, 0) > longBytes;
}

function answer({ pieces, members }: ParseRequest): ParseResult {
  try {
    return { found: outlineOf(parseBytes(Buffer.concat(pieces)), members) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { wrong: error.problems?.[0]?.message ?? '' };
  }
}

lowerPriority();

/** Sends null when it is ready, after the first message. A null that it gets is the last message, and is sent back. */
self.onmessage = ({ data: memory }: MessageEvent<LongWorkMemory>) => {
  const work = new LongWork(memory);
  self.onmessage = ({ data }: MessageEvent<ParseRequest | null>) => {
    if (data === null) self.postMessage(null);
    else self.postMessage(isLong(data) ? work.runWhole(() => answer(data)) : answer(data));
  };
  self.postMessage(null);
};
