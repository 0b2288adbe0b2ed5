/** A whole list from shared memory, in large pieces: one write to a socket costs as much as copying many of the small leaves. */
import type { Bytes } from '../../../domain/bytes.ts';
import type { TableReader } from './reader.ts';
import type { Snapshot } from './snapshot.ts';

const mostBytes = 128 * 1024;
const [open, close] = [0x5b, 0x5d];

/** Pins its root until the iterator ends or is returned. Undefined if the list has another tag by now. */
export function listPieces(table: TableReader, tag: string): IterableIterator<Bytes, void> | undefined {
  const pinned = table.pinned();
  if (pinned === undefined) return undefined;
  const { snapshot, release } = pinned;
  if (snapshot.tag === tag) return releasing(pieces(snapshot), release);
  release();
  return undefined;
}

/** Unlike `finally` in a generator, this also releases if the iterator is returned before its first step. */
function releasing(left: Generator<Bytes, void>, release: () => void): IterableIterator<Bytes, void> {
  function end(): IteratorResult<Bytes, void> {
    release();
    return left.return();
  }
  return {
    next() {
      const step = left.next();
      return step.done ? end() : step;
    },
    return: end,
    [Symbol.iterator]() {
      return this;
    },
  };
}

function* pieces(snapshot: Snapshot): Generator<Bytes, void> {
  let left = snapshot.listSize;
  let piece = Buffer.allocUnsafe(Math.min(mostBytes, left));
  let used = 0;
  piece[used++] = open;
  for (const { source, start, length } of snapshot.parts()) {
    for (let from = 0; from < length; ) {
      if (used === piece.length) {
        yield piece;
        left -= used;
        piece = Buffer.allocUnsafe(Math.min(mostBytes, left));
        used = 0;
      }
      const count = Math.min(length - from, piece.length - used);
      source.copy(piece, used, start + from, start + from + count);
      used += count;
      from += count;
    }
  }
  // The last comma becomes a bracket.
  piece[piece.length - 1] = close;
  yield piece;
}
