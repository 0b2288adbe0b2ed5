/** Splits text into lines with one JSON object each. Blank lines are skipped. */
import { membersOf } from '../../../src/exact/json-text.ts';
import { isJson } from './cell.ts';
import { type SourceRow, Unreadable } from './source.ts';

const longestLine = 16 * 1024 * 1024;

export class JsonRows {
  #held = '';
  #line = 1;

  /** Throws Unreadable. */
  push(text: string): SourceRow[] {
    const lines = (this.#held + text).split('\n');
    this.#held = lines.pop() ?? '';
    if (this.#held.length > longestLine) throw new Unreadable(`Line ${this.#line + lines.length} is too long.`);
    return lines.flatMap((line) => this.#row(line));
  }

  end(): SourceRow[] {
    return this.#row(this.#held);
  }

  #row(text: string): SourceRow[] {
    const source = text.endsWith('\r') ? text.slice(0, -1) : text;
    const line = this.#line++;
    if (source.trim() === '') return [];
    if (!isJson(source)) return [{ line, source, wrong: 'is not JSON' }];
    if (!source.trimStart().startsWith('{')) return [{ line, source, wrong: 'is not a JSON object' }];
    return [{ line, source, members: membersOf(source) }];
  }
}
