/**
 * A write crosses threads as one line of text, because a string is the cheapest thing to send. JSON has no raw line break
 * in it, so lines are safe to join.
 */
import type { Once, Versions } from '../../domain/store.ts';
import type { Spooled } from '../spool.ts';

export type WriteLine = string;

/** What a line says; `place` is that of the collection among those that the writer was opened with. */
export type Write =
  | { readonly kind: 'append'; readonly place: number; readonly json: string }
  | { readonly kind: 'append once'; readonly place: number; readonly once: Once; readonly json: string }
  | { readonly kind: 'bulk'; readonly place: number; readonly spooled: Spooled; readonly once: Once | undefined }
  | { readonly kind: 'remove'; readonly place: number; readonly id: bigint }
  | {
      readonly kind: 'change';
      readonly place: number;
      readonly seq: number;
      readonly versions: Versions;
      readonly json: string | undefined;
    }
  | { readonly kind: 'forget keys' | 'trim'; readonly keptMs: number };

/** Adds a record, given as its JSON; without an id it gets its number for one. */
export function appendLine(place: number, json: string): WriteLine {
  return `${appendPrefix(place)}${json}`;
}

/** How the lines begin that add to one collection. */
export function appendPrefix(place: number): string {
  return `+${place} `;
}

/** Adds a record unless that was done under this key, which has no space in it. */
export function onceLine(place: number, once: Once, json: string): WriteLine {
  return `?${place} ${onceWords(once)} ${json}`;
}

/** Adds the records that were set aside, once where there is a key. */
export function bulkLine(place: number, { fd, size }: Spooled, once: Once | undefined): WriteLine {
  return `*${place} ${fd} ${size}${once === undefined ? '' : ` ${onceWords(once)}`}`;
}

export function removeLine(place: number, id: bigint): WriteLine {
  return `-${place} ${id}`;
}

/** Changes the fields in the JSON, or deletes the record where there is none, if it has one of the versions. */
export function changeLine(place: number, seq: number, versions: Versions, json: string | undefined): WriteLine {
  return `=${place} ${seq} ${versions?.join() ?? '*'} ${json ?? ''}`;
}

/** Forgets the keys that are older than this. */
export function forgetLine(keptMs: number): WriteLine {
  return `~0 ${keptMs}`;
}

/** Forgets some of the changes that are older than this. */
export function trimLine(keptMs: number): WriteLine {
  return `!0 ${keptMs}`;
}

export function readLine(line: WriteLine): Write {
  const space = line.indexOf(' ');
  const place = Number(line.slice(1, space));
  const rest = line.slice(space + 1);
  switch (line[0]) {
    case '+':
      return { kind: 'append', place, json: rest };
    case '?': {
      const [, key = '', digest = '', keptMs, json = ''] = /^(\S+) (\S+) (\S+) (.*)$/s.exec(rest) ?? [];
      return { kind: 'append once', place, once: { key, digest, keptMs: Number(keptMs) }, json };
    }
    case '*': {
      const [fd, size, key, digest = '', keptMs] = rest.split(' ');
      const once = key === undefined ? undefined : { key, digest, keptMs: Number(keptMs) };
      return { kind: 'bulk', place, spooled: { fd: Number(fd), size: Number(size) }, once };
    }
    case '-':
      return { kind: 'remove', place, id: BigInt(rest) };
    case '=': {
      const [, seq, listed = '', json = ''] = /^(\d+) (\S*) (.*)$/s.exec(rest) ?? [];
      const versions = listed === '*' ? undefined : listed.split(',').map(Number);
      return { kind: 'change', place, seq: Number(seq), versions, json: json === '' ? undefined : json };
    }
    case '~':
      return { kind: 'forget keys', keptMs: Number(rest) };
    case '!':
      return { kind: 'trim', keptMs: Number(rest) };
    default:
      throw new Error('this is not the line of a write');
  }
}

function onceWords({ key, digest, keptMs }: Once): string {
  return `${key} ${digest} ${keptMs}`;
}
