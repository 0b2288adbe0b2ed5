/** Parses the chunked transfer coding (RFC 9112, section 7.1) as it arrives. */

import { Failure } from '../../domain/errors.ts';
import type { Input } from './input.ts';

/** Limit in bytes for the size line of a chunk, and for all trailers together. */
const maxLineBytes = 4096;
/**
 * Limits the bytes that are not content: `free`, plus `perByte` for each byte of content. A chunk of one byte needs
 * five.
 */
const overhead = { free: 64 * 1024, perByte: 16 };

const trailerLine = /^[!#$%&'*+\-.^`|~\w]+:[\t -~\x80-\xff]*$/;
const token = "[!#$%&'*+\\-.^`|~\\w]+";
const quoted = String.raw`"(?:[\t !#-\[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"`;
/** Extensions are ignored but must be valid: another parser may read an invalid one differently. */
const sizeLine = new RegExp(
  `^([\\da-f]{1,12})(?:[ \\t]*;[ \\t]*${token}(?:[ \\t]*=[ \\t]*(?:${token}|${quoted}))?)*$`,
  'i',
);

export class Chunks {
  done = false;
  #expects: 'size' | 'data' | 'end of data' | 'trailer' = 'size';
  #line = '';
  #trailerBytes = 0;
  /** Bytes of the current chunk that have not arrived. */
  #remaining = 0;
  #content = 0;
  #overhead = 0;

  /** Passes the content on and returns the number of bytes consumed: all of them, unless the body ends earlier. */
  push(input: Input, onContent: (content: Input) => void): number {
    let at = 0;
    while (at < input.length && !this.done) {
      if (this.#expects === 'data') {
        const content = input.subarray(at, at + this.#remaining);
        onContent(content);
        at += content.length;
        this.#content += content.length;
        this.#remaining -= content.length;
        if (this.#remaining === 0) this.#expects = 'end of data';
        continue;
      }
      const newline = input.indexOf(0x0a, at);
      const end = newline < 0 ? input.length : newline + 1;
      this.#line += input.toString('latin1', at, end);
      this.#overhead += end - at;
      at = end;
      if (this.#overhead > overhead.free + overhead.perByte * this.#content) throw broken();
      if (this.#line.length + this.#trailerBytes > maxLineBytes) throw broken();
      if (newline >= 0) this.#endOfLine();
    }
    return at;
  }

  #endOfLine(): void {
    if (!this.#line.endsWith('\r\n')) throw broken();
    const line = this.#line.slice(0, -2);
    this.#line = '';
    if (this.#expects === 'size') {
      const size = sizeLine.exec(line)?.[1];
      if (size === undefined) throw broken();
      this.#remaining = Number.parseInt(size, 16);
      this.#expects = this.#remaining === 0 ? 'trailer' : 'data';
    } else if (this.#expects === 'end of data') {
      if (line !== '') throw broken();
      this.#expects = 'size';
    } else if (line === '') {
      this.done = true;
    } else {
      // Trailers are validated and ignored.
      if (!trailerLine.test(line)) throw broken();
      this.#trailerBytes += line.length;
    }
  }
}

function broken(): Failure {
  return new Failure('malformed_request', {
    detail: 'Invalid HTTP request: a chunk of its body is broken.',
  });
}
