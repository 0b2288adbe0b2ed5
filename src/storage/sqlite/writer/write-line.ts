/**
 * A write is sent to the writing thread as one line of text, because a string is the cheapest message. Encoded JSON
 * contains no raw line break, so lines can be joined.
 */
import type { Precondition } from '../../../domain/precondition.ts';
import type { Import } from '../../../domain/store/bulk.ts';
import type { Once } from '../../../domain/store/once.ts';
import type { Spooled } from '../../bulk/spool.ts';
import type { KeyWrite } from '../api-keys.ts';

export type WriteLine = string;

/** The collections that a deletion may change; undefined for all. */
export type Permitted = readonly string[] | undefined;

/**
 * A parsed line. `place` is the index of the collection in the shapes that the writer was opened with. `by` is the name of the
 * caller, which contains no space; undefined without a caller.
 */
export type ParsedWrite = { readonly by: string | undefined } & (
  | { readonly kind: 'append'; readonly place: number; readonly json: string }
  | { readonly kind: 'append once'; readonly place: number; readonly once: Once; readonly json: string }
  | { readonly kind: 'bulk'; readonly place: number; readonly spooled: Spooled; readonly once: Once | undefined }
  | { readonly kind: 'dry bulk'; readonly place: number; readonly spooled: Spooled }
  | { readonly kind: 'import'; readonly place: number; readonly spooled: Spooled; readonly imported: Import }
  | {
      readonly kind: 'remove';
      readonly place: number;
      readonly id: bigint;
      readonly when: Precondition<string> | undefined;
      readonly permitted: Permitted;
    }
  | {
      readonly kind: 'update';
      readonly place: number;
      readonly seq: number;
      readonly when: Precondition<number> | undefined;
      readonly json: string;
    }
  | {
      readonly kind: 'discard';
      readonly place: number;
      readonly seq: number;
      readonly when: Precondition<number> | undefined;
      readonly permitted: Permitted;
    }
  | { readonly kind: 'forget keys' | 'trim'; readonly keptMs: number }
  | { readonly kind: 'api keys'; readonly write: KeyWrite }
);

/** Adds a record; if its JSON has no id, its seq becomes the id. */
export function appendLine(place: number, json: string, by?: string): WriteLine {
  return `+${target(place, by)} ${json}`;
}

/** The start of an `appendLine`: the same for all records of one caller in one collection. */
export function prefixOf(line: WriteLine): string {
  return line.slice(0, line.indexOf(' ') + 1);
}

function target(place: number, by: string | undefined): string {
  return by === undefined ? String(place) : `${place}@${by}`;
}

/** Adds a record unless the key was used before. The key must not contain a space. */
export function onceLine(place: number, once: Once, json: string, by?: string): WriteLine {
  return `?${target(place, by)} ${onceWords(once)} ${json}`;
}

/** Adds the spooled records; only once if there is a key. */
export function bulkLine(place: number, { fd, size }: Spooled, once: Once | undefined, by?: string): WriteLine {
  return `*${target(place, by)} ${fd} ${size}${once === undefined ? '' : ` ${onceWords(once)}`}`;
}

/** Adds the spooled records, and rolls back: a dry run. */
export function dryBulkLine(place: number, { fd, size }: Spooled): WriteLine {
  return `#${place} ${fd} ${size}`;
}

/** Adds the spooled records, which are batches of a file. */
export function importLine(place: number, { fd, size }: Spooled, imported: Import, by?: string): WriteLine {
  return `&${target(place, by)} ${fd} ${size} ${JSON.stringify(imported)}`;
}

/** Whether the batch is a bulk. A bulk has its own batch, because it takes as long as many others. */
export function isBulkLine(batch: string): boolean {
  return batch[0] === '*' || batch[0] === '#' || batch[0] === '&';
}

/** Removes the first record with the id. The tags of the precondition must not contain a space or a comma. */
export function removeLine(
  place: number,
  id: bigint,
  when: Precondition<string> | undefined,
  permitted: Permitted,
  by?: string,
): WriteLine {
  return `-${target(place, by)} ${id} ${whenWords(when)} ${permittedWord(permitted)}`;
}

/** Changes the fields in `json`. */
export function updateLine(
  place: number,
  seq: number,
  when: Precondition<number> | undefined,
  json: string,
  by?: string,
): WriteLine {
  return `=${target(place, by)} ${seq} ${whenWords(when)} ${json}`;
}

/** Removes the record with the seq. */
export function discardLine(
  place: number,
  seq: number,
  when: Precondition<number> | undefined,
  permitted: Permitted,
  by?: string,
): WriteLine {
  return `/${target(place, by)} ${seq} ${whenWords(when)} ${permittedWord(permitted)}`;
}

/** Deletes idempotency keys older than this. */
export function forgetLine(keptMs: number): WriteLine {
  return `~0 ${keptMs}`;
}

/** Deletes changes older than this, at most `trimmedAtOnce`. */
export function trimLine(keptMs: number): WriteLine {
  return `!0 ${keptMs}`;
}

/** Changes the API keys. */
export function keysLine(write: KeyWrite): WriteLine {
  return `k0 ${JSON.stringify(write)}`;
}

export function readLine(line: WriteLine): ParsedWrite {
  const space = line.indexOf(' ');
  const at = line.slice(0, space).indexOf('@');
  const by = at < 0 ? undefined : line.slice(at + 1, space);
  const place = Number(line.slice(1, at < 0 ? space : at));
  const rest = line.slice(space + 1);
  switch (line[0]) {
    case '+':
      return { kind: 'append', by, place, json: rest };
    case '?': {
      const [, words = '', json = ''] = /^(\S+ \S+ \S+ \S+) (.*)$/s.exec(rest) ?? [];
      return { kind: 'append once', by, place, once: readOnce(words.split(' ')), json };
    }
    case '*': {
      const [fd, size, ...words] = rest.split(' ');
      const once = words.length === 0 ? undefined : readOnce(words);
      return { kind: 'bulk', by, place, spooled: { fd: Number(fd), size: Number(size) }, once };
    }
    case '#': {
      const [fd, size] = rest.split(' ');
      return { kind: 'dry bulk', by, place, spooled: { fd: Number(fd), size: Number(size) } };
    }
    case '&': {
      const [, fd, size, imported = ''] = /^(\d+) (\d+) (.*)$/s.exec(rest) ?? [];
      const spooled = { fd: Number(fd), size: Number(size) };
      return { kind: 'import', by, place, spooled, imported: JSON.parse(imported) as Import };
    }
    case '-': {
      const [id = '', match = '', none = '', permitted = ''] = rest.split(' ');
      const when = readWhen(match, none, String);
      return { kind: 'remove', by, place, id: BigInt(id), when, permitted: readPermitted(permitted) };
    }
    case '=': {
      const [, seq, match = '', none = '', json = ''] = /^(\d+) (\S+) (\S+) (.*)$/s.exec(rest) ?? [];
      return { kind: 'update', by, place, seq: Number(seq), when: readWhen(match, none, Number), json };
    }
    case '/': {
      const [seq = '', match = '', none = '', permitted = ''] = rest.split(' ');
      const when = readWhen(match, none, Number);
      return { kind: 'discard', by, place, seq: Number(seq), when, permitted: readPermitted(permitted) };
    }
    case '~':
      return { kind: 'forget keys', by, keptMs: Number(rest) };
    case '!':
      return { kind: 'trim', by, keptMs: Number(rest) };
    case 'k':
      return { kind: 'api keys', by, write: JSON.parse(rest) as KeyWrite };
    default:
      throw new Error(`unknown kind of write line: ${JSON.stringify(line[0] ?? '')}`);
  }
}

/** A colon and names, or a dash for all. */
function permittedWord(permitted: Permitted): string {
  return permitted === undefined ? '-' : `:${permitted.join()}`;
}

function readPermitted(word: string): Permitted {
  return word === '-' ? undefined : word === ':' ? [] : word.slice(1).split(',');
}

/** Two words, for `match` and `noneMatch`: a colon and the tags, a star for all tags, or a dash for no list. */
function whenWords(when: Precondition<unknown> | undefined): string {
  const word = (tags: readonly unknown[] | '*' | undefined) =>
    tags === undefined ? '-' : tags === '*' ? tags : `:${tags.join()}`;
  return `${word(when?.match)} ${word(when?.noneMatch)}`;
}

function readWhen<Tag>(match: string, none: string, read: (text: string) => Tag): Precondition<Tag> | undefined {
  if (match === '-' && none === '-') return undefined;
  const list = (word: string) => (word === ':' ? [] : word.slice(1).split(',').map(read));
  return {
    match: match === '-' ? undefined : list(match),
    noneMatch: none === '-' ? undefined : none === '*' ? none : list(none),
  };
}

function onceWords({ key, digest, former, keptMs }: Once): string {
  return `${key} ${digest} ${former} ${keptMs}`;
}

function readOnce([key = '', digest = '', former = '', keptMs]: readonly string[]): Once {
  return { key, digest, former, keptMs: Number(keptMs) };
}
