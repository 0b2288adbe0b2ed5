/** Sends a long answer part by part, with backpressure and in fair turns. */

import type { Bytes } from '../../domain/bytes.ts';
import type { Outbox } from './outbox.ts';
import type { Parts } from './reply.ts';
import type { StreamTurns } from './stream-turns.ts';

/** Bytes. A part up to this size is copied into one write with its chunk framing. */
const maxFramed = 16 * 1024;

/** Rejects with the error of `parts`; resolves when all parts are written, or the connection is closed. */
export async function stream(parts: Parts, chunked: boolean, out: Outbox, turns: StreamTurns): Promise<void> {
  try {
    while (true) {
      const pullStart = performance.now();
      const part = parts.next();
      const pullEnd = performance.now();
      const next = await part;
      if (out.closed) return;
      if (next.done) break;
      // An empty chunk would end the body.
      if (next.value.length === 0) continue;
      const { length } = next.value;
      // A large part is sent without a copy: other connections may send the same bytes.
      const inOneWrite = chunked && length <= maxFramed;
      const writeStart = performance.now();
      if (chunked && !inOneWrite) out.writeText(chunkHead(length), chunkHead(length).length);
      out.write(inOneWrite ? framed(next.value) : next.value);
      const ms = pullEnd - pullStart + performance.now() - writeStart;
      await new Promise<void>((resolve) => out.whenEmpty(() => turns.take(ms, resolve)));
      if (out.closed) return;
      if (chunked && !inOneWrite) out.writeText('\r\n', 2);
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
