/** Reads records from text with one JSON object per line, as its bytes arrive. Blank lines are skipped. */

import { membersOf, objectOf } from '../../exact/json-text.ts';
import { Failure, invalidBody } from '../errors.ts';
import type { Collection } from '../record/collection.ts';
import { encodeSent } from '../record/keyed-text.ts';
import type { Json } from './json.ts';
import { parseJson } from './json.ts';
import { parseText } from './parse-body.ts';
import type { Entry, EntryReader } from './text-entry.ts';
import { type NotUtf8, Utf8Pieces } from './utf8.ts';

export type JsonLinesOptions = {
  /** The most characters of a line. */
  readonly maxLine: number;
  /** Fields by members that have other names; undefined for a member to leave out. */
  readonly mapped: ReadonlyMap<string, string | undefined>;
  /** The fields of a unique rule: entries are keyed texts. */
  readonly key?: readonly string[] | undefined;
};

export class JsonLines implements EntryReader {
  readonly #bytes = new Utf8Pieces();
  /** The line that is not complete, in pieces. */
  #pieces: string[] = [];
  #length = 0;
  #line = 1;
  #isOver = false;

  constructor(
    readonly collection: Pick<Collection, 'singular' | 'record'>,
    readonly options: JsonLinesOptions,
  ) {}

  push(bytes: Uint8Array): Entry[] {
    return this.#isOver ? [] : this.#take(this.#bytes.push(bytes));
  }

  end(): Entry[] {
    if (this.#isOver) return [];
    const entries = this.#take(this.#bytes.end());
    if (!this.#isOver) this.#read(this.#pieces.join(''), entries);
    return entries;
  }

  #take(text: string | NotUtf8): Entry[] {
    const entries: Entry[] = [];
    const whole = typeof text === 'string' ? text : text.before;
    const { maxLine } = this.options;
    let start = 0;
    for (let feed = whole.indexOf('\n'); feed >= 0; feed = whole.indexOf('\n', start)) {
      const rest = whole.slice(start, feed);
      const source = this.#pieces.length === 0 ? rest : this.#pieces.join('') + rest;
      this.#pieces = [];
      this.#length = 0;
      if (source.length > maxLine) return [...entries, this.#over(`is over the limit of ${maxLine} characters`)];
      this.#read(source, entries);
      this.#line++;
      start = feed + 1;
    }
    this.#pieces.push(whole.slice(start));
    this.#length += whole.length - start;
    if (this.#length > maxLine) entries.push(this.#over(`is over the limit of ${maxLine} characters`));
    else if (typeof text !== 'string') entries.push(this.#over(text.reason));
    return entries;
  }

  #read(text: string, entries: Entry[]): void {
    const source = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (source.trim() === '') return;
    const { singular, record } = this.collection;
    try {
      const json = this.#renamed(parseText(source), source, singular);
      entries.push({ line: this.#line, source, json: encodeSent(record, json, this.options.key) });
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      entries.push({ line: this.#line, source, failure, isFinal: false });
    }
  }

  /** Works on the text, so that every digit is kept. */
  #renamed(json: Json, source: string, singular: string): Json {
    const { mapped } = this.options;
    const { value } = json;
    if (typeof value !== 'object' || value === null || !Object.keys(value).some((key) => mapped.has(key))) return json;
    const renamed = new Map<string, string>();
    for (const [name, text] of membersOf(source)) {
      const key = mapped.has(name) ? mapped.get(name) : name;
      if (key === undefined) continue;
      if (renamed.has(key)) throw invalidBody(singular, [{ field: name, message: `two members are mapped to ${key}` }]);
      renamed.set(key, text);
    }
    return parseJson(objectOf(renamed));
  }

  #over(reason: string): Entry {
    this.#isOver = true;
    const line = this.#line;
    const failure = new Failure('malformed_json', {
      detail: `The line ${reason}.`,
      problems: [{ field: undefined, message: reason, line }],
    });
    return { line, source: '', failure, isFinal: true };
  }
}
