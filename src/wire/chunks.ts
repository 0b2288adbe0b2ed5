/** The chunked transfer coding (RFC 9112, section 7.1), read as it arrives. */

import { Failure } from '../domain/errors.ts';
import type { Input } from './input.ts';

/** Of a chunk's size line, and of all trailers together. */
const maxLineBytes = 4096;
/** What is not content may be so much, and some for each byte that is: a chunk of one byte takes five more. */
const overhead = { free: 64 * 1024, perByte: 16 };

const trailerLine = /^[!#$%&'*+\-.^`|~\w]+:[\t -~\x80-\xff]*$/;
const word = "[!#$%&'*+\\-.^`|~\\w]+";
const quoted = String.raw`"(?:[\t !#-\[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"`;
/** Extensions are read and mean nothing; what only looks like one may mean something to another reader. */
const sizeLine = new RegExp(
  `^([\\da-f]{1,12})(?:[ \\t]*;[ \\t]*${word}(?:[ \\t]*=[ \\t]*(?:${word}|${quoted}))?)*$`,
  'i',
);

export class Chunks {
  done = false;
  #expects: 'size' | 'data' | 'end of data' | 'trailer' = 'size';
  #line = '';
  #lines = 0;
  /** Of the chunk under way. */
  #left = 0;
  #content = 0;
  #overhead = 0;

  /** Hands the content over and answers how many bytes were taken: all of them, unless the body ends before. */
  push(input: Input, keep: (content: Input) => void): number {
    let at = 0;
    while (at < input.length && !this.done) {
      if (this.#expects === 'data') {
        const content = input.subarray(at, at + this.#left);
        keep(content);
        at += content.length;
        this.#content += content.length;
        this.#left -= content.length;
        if (this.#left === 0) this.#expects = 'end of data';
        continue;
      }
      const newline = input.indexOf(0x0a, at);
      const end = newline < 0 ? input.length : newline + 1;
      this.#line += input.toString('latin1', at, end);
      this.#overhead += end - at;
      at = end;
      if (this.#overhead > overhead.free + overhead.perByte * this.#content) throw broken();
      if (this.#line.length + this.#lines > maxLineBytes) throw broken();
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
      this.#left = Number.parseInt(size, 16);
      this.#expects = this.#left === 0 ? 'trailer' : 'data';
    } else if (this.#expects === 'end of data') {
      if (line !== '') throw broken();
      this.#expects = 'size';
    } else if (line === '') {
      this.done = true;
    } else {
      // Trailers say nothing that we act on.
      if (!trailerLine.test(line)) throw broken();
      this.#lines += line.length;
    }
  }
}

function broken(): Failure {
  return new Failure('malformed_request', {
    detail: 'Invalid HTTP request: a chunk of its body is broken.',
  });
}
