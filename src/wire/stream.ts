/** A long answer, part by part: each when the reader has room for it and it is its turn. */

import type { Bytes } from '../domain/bytes.ts';
import type { Outbox } from './outbox.ts';
import type { Parts } from './reply.ts';
import type { Turns } from './turns.ts';

/** A chunk of no more goes out in one piece. */
const framedAtMost = 16 * 1024;

/** Rejects with what went wrong in making the parts; resolves when all are written, or the connection is gone. */
export async function stream(parts: Parts, chunked: boolean, out: Outbox, turns: Turns): Promise<void> {
  try {
    while (true) {
      const asked = performance.now();
      const part = parts.next();
      const waited = performance.now();
      const next = await part;
      if (out.closed) return;
      if (next.done) break;
      // A chunk of nothing would be the end.
      if (next.value.length === 0) continue;
      const { length } = next.value;
      // What is large is sent as it is, and not copied: others may be sent the same.
      const inOne = chunked && length <= framedAtMost;
      const sending = performance.now();
      if (chunked && !inOne) out.writeText(chunkHead(length), chunkHead(length).length);
      out.write(inOne ? framed(next.value) : next.value);
      const ms = waited - asked + performance.now() - sending;
      await new Promise<void>((resolve) => out.whenEmpty(() => turns.take(ms, resolve)));
      if (out.closed) return;
      if (chunked && !inOne) out.writeText('\r\n', 2);
    }
    if (chunked) out.writeText('0\r\n\r\n', 5);
  } finally {
    parts.return?.();
  }
}

const chunkHead = (length: number) => `${length.toString(16)}\r\n`;

function framed(content: Bytes): Bytes {
  return Buffer.concat([Buffer.from(chunkHead(content.length)), content, Buffer.from('\r\n')]);
}
