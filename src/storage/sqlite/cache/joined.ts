/** Joins the small parts of a list: a write to a socket takes as long as copying many of them. */
import type { Bytes } from '../../../domain/bytes.ts';

const most = 128 * 1024;

export function* joined(parts: readonly Bytes[]): Generator<Bytes, void> {
  let size = 0;
  let first = 0;
  for (const [index, { length }] of parts.entries()) {
    if (size > 0 && size + length > most) {
      yield Buffer.concat(parts.slice(first, index), size);
      first = index;
      size = 0;
    }
    size += length;
  }
  if (size > 0) yield Buffer.concat(parts.slice(first), size);
}
