/** A whole list from shared memory, in pieces: a write to a socket takes as long as copying many of its small parts. */
import type { Bytes } from '../../../domain/bytes.ts';
import type { TableReader } from './reader.ts';
import type { Part } from './table.ts';
import type { View } from './view.ts';

const mostBytes = 128 * 1024;
const [open, close] = [0x5b, 0x5d];

/** The size of the list as JSON, in bytes. */
export function sizeOf(parts: readonly Part[]): number {
  // The last comma becomes a bracket.
  return parts.reduce((sum, { length }) => sum + length, 0) + (parts.length === 0 ? 2 : 1);
}

/**
 * What is in the list now stays in memory until the iterator has ended or was returned. Undefined if the list is not the one with
 * this tag any more.
 */
export function listParts(of: TableReader, tag: string): IterableIterator<Bytes, void> | undefined {
  const { view, version } = of.memory;
  const pinned = version.pin();
  const parts = of.read((table) => (table.tag === tag ? table.parts() : undefined));
  if (pinned === undefined || parts === undefined) {
    pinned?.();
    // Too many are pinned: a copy needs none.
    return of.read((table) => (table.tag === tag ? [...pieces(table.parts(), view)].values() : undefined));
  }
  const release = pinned;
  const left = pieces(parts, view);
  let isOver = false;
  function end(): IteratorResult<Bytes, void> {
    if (!isOver) release();
    isOver = true;
    return { done: true, value: undefined };
  }
  return {
    next() {
      const piece = isOver ? end() : left.next();
      return piece.done ? end() : piece;
    },
    return: end,
    [Symbol.iterator]() {
      return this;
    },
  };
}

function* pieces(parts: readonly Part[], view: View): Generator<Bytes, void> {
  let piece = Buffer.allocUnsafe(Math.min(mostBytes, sizeOf(parts)));
  piece[0] = open;
  let used = 1;
  let left = sizeOf(parts);
  for (const { block, length } of parts) {
    for (let from = 0; from < length; ) {
      if (used === piece.length) {
        yield piece;
        left -= used;
        piece = Buffer.allocUnsafe(Math.min(mostBytes, left));
        used = 0;
      }
      const to = Math.min(length, from + piece.length - used);
      const { source, start } = view.place(block, from);
      source.copy(piece, used, start, start + to - from);
      used += to - from;
      from = to;
    }
  }
  if (parts.length > 0) used--;
  if (used === piece.length) {
    yield piece;
    piece = Buffer.allocUnsafe(1);
    used = 0;
  }
  piece[used] = close;
  yield piece;
}
