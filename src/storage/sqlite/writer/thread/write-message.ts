/**
 * What the writing thread applies. A write is sent to it as one line of text, because a string is the cheapest message; it is parsed
 * once there. Encoded JSON contains no raw line break, so lines can be joined.
 */

import type { Import } from '../../../../domain/store/bulk.ts';
import type { Once } from '../../../../domain/store/once.ts';
import type { Precondition } from '../../../../domain/store/precondition.ts';
import type { Spooled } from '../../../bulk/spool.ts';
import type { KeyWrite } from '../../api-keys.ts';
import type { TransactionWrite, UniqueKey } from '../transaction/transaction-message.ts';

/** The collections that a deletion may change; undefined for all. */
export type Permitted = readonly string[] | undefined;

/**
 * `place` is the index of the collection in those that the writer was opened with. `by` is the name of the caller, which contains no space;
 * undefined without a caller. `traceId` has 32 hexadecimal digits.
 */
type To = { readonly place: number; readonly by: string | undefined; readonly traceId?: string | undefined };

/** Adds a record, only once if there is a key; if its JSON has no id, its record id becomes the contract id. The key must not contain a space. */
export type CreateWrite = To & {
  readonly op: 'create';
  readonly once: Once | undefined;
  readonly json: string;
};

/** Changes the fields in `json`. */
type UpdateWrite = To & {
  readonly op: 'update';
  readonly recordId: number;
  readonly when: Precondition<number> | undefined;
  readonly json: string;
};

type DeleteWrite = To & {
  readonly op: 'delete';
  readonly recordId: number;
  readonly when: Precondition<number> | undefined;
  readonly permitted: Permitted;
};

/** Deletes the first record with the id. The tags of the precondition must not contain a space or a comma. */
type DeleteFirstWrite = To & {
  readonly op: 'delete first';
  readonly contractId: bigint;
  readonly when: Precondition<string> | undefined;
  readonly permitted: Permitted;
};

/** Adds the spooled records, or with a `key` updates those that have it. A dry one is taken back. An import has the batches of a file. */
export type BulkWrite = To & { readonly spooled: Spooled; readonly key?: UniqueKey | undefined } & (
    | { readonly op: 'bulk'; readonly once: Once | undefined }
    | { readonly op: 'dry bulk' }
    | { readonly op: 'import'; readonly imported: Import }
  );

export type Write =
  | CreateWrite
  | UpdateWrite
  | DeleteWrite
  | DeleteFirstWrite
  | BulkWrite
  | TransactionWrite
  /** Deletes what is older; of the changes at most `trimmedAtOnce`. */
  | { readonly op: 'forget keys' | 'trim'; readonly keptMs: number }
  | { readonly op: 'api keys'; readonly keys: KeyWrite };

/** Whether it is a bulk, which takes as long as many other writes. */
export function isBulk(write: Write | undefined): write is BulkWrite {
  return write?.op === 'bulk' || write?.op === 'dry bulk' || write?.op === 'import';
}

/** What an operation of a transaction counts for, besides its record. */
const stepSize = 256;

/** Approximately, in bytes. */
export function sizeOf(write: Write | undefined): number {
  if (write === undefined) return 0;
  if (write.op === 'transaction')
    return write.steps.reduce((sum, step) => sum + stepSize + ('json' in step ? step.json.length : 0), 0);
  return isBulk(write) ? write.spooled.size : 'json' in write ? write.json.length : 0;
}

/** The text of a write, for `readLines`. */
export function lineOf(write: Write): string {
  switch (write.op) {
    case 'create': {
      const { once, json } = write;
      return once === undefined ? `+${target(write)} ${json}` : `?${target(write)} ${onceWords(once)} ${json}`;
    }
    case 'update':
      return `=${target(write)} ${write.recordId} ${whenWords(write.when)} ${write.json}`;
    case 'delete':
      return `/${target(write)} ${write.recordId} ${whenWords(write.when)} ${permittedWord(write.permitted)}`;
    case 'delete first':
      return `-${target(write)} ${write.contractId} ${whenWords(write.when)} ${permittedWord(write.permitted)}`;
    case 'bulk':
    case 'dry bulk':
    case 'import':
    case 'transaction':
      return `t0 ${JSON.stringify(write)}`;
    case 'forget keys':
      return `~0 ${write.keptMs}`;
    case 'trim':
      return `!0 ${write.keptMs}`;
    case 'api keys':
      return `k0 ${JSON.stringify(write.keys)}`;
  }
}

/** The writes of joined lines. */
export function readLines(text: string): Write[] {
  /** The last addition without a key, and the start of its line: most writes are additions of one caller to one collection. */
  let last: CreateWrite | undefined;
  let prefix = '';
  return text.split('\n').map((line) => {
    if (last !== undefined && line.startsWith(prefix))
      return {
        op: 'create',
        place: last.place,
        by: last.by,
        traceId: last.traceId,
        once: undefined,
        json: line.slice(prefix.length),
      };
    const write = readLine(line);
    if (write.op === 'create' && write.once === undefined) {
      last = write;
      prefix = line.slice(0, line.length - write.json.length);
    }
    return write;
  });
}

function readLine(line: string): Write {
  const space = line.indexOf(' ');
  const to = readTarget(line.slice(1, space));
  const rest = line.slice(space + 1);
  switch (line[0]) {
    case '+':
      return { op: 'create', ...to, once: undefined, json: rest };
    case '?': {
      const [, words = '', json = ''] = /^(\S+ \S+ \S+ \S+) (.*)$/s.exec(rest) ?? [];
      return { op: 'create', ...to, once: readOnce(words.split(' ')), json };
    }
    case '-': {
      const [id = '', match = '', none = '', permitted = ''] = rest.split(' ');
      const when = readWhen(match, none, String);
      return { op: 'delete first', ...to, contractId: BigInt(id), when, permitted: readPermitted(permitted) };
    }
    case '=': {
      const [, recordId, match = '', none = '', json = ''] = /^(\d+) (\S+) (\S+) (.*)$/s.exec(rest) ?? [];
      return { op: 'update', ...to, recordId: Number(recordId), when: readWhen(match, none, Number), json };
    }
    case '/': {
      const [recordId = '', match = '', none = '', permitted = ''] = rest.split(' ');
      const when = readWhen(match, none, Number);
      return { op: 'delete', ...to, recordId: Number(recordId), when, permitted: readPermitted(permitted) };
    }
    case 't':
      return JSON.parse(rest) as TransactionWrite | BulkWrite;
    case '~':
      return { op: 'forget keys', keptMs: Number(rest) };
    case '!':
      return { op: 'trim', keptMs: Number(rest) };
    case 'k':
      return { op: 'api keys', keys: JSON.parse(rest) as KeyWrite };
    default:
      throw new Error(`unknown kind of write: ${JSON.stringify(line[0] ?? '')}`);
  }
}

/** The place, then a tilde and the trace, and an at sign and the name of the caller, which may contain anything but a space. */
function target({ place, by, traceId }: To): string {
  const traced = traceId === undefined ? String(place) : `${place}~${traceId}`;
  return by === undefined ? traced : `${traced}@${by}`;
}

function readTarget(word: string): To {
  const at = word.indexOf('@');
  const [place, traceId] = (at < 0 ? word : word.slice(0, at)).split('~');
  const by = at < 0 ? undefined : word.slice(at + 1);
  return traceId === undefined ? { place: Number(place), by } : { place: Number(place), by, traceId };
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
