/** What the writer of the race writes, so that readers can check each record and each commit as a whole. */

/** Records with these ids are never removed or renamed. */
export const permanent = 50;
/** The highest id that a record can have. */
export const mostIds = 8000;

export type RaceRecord = { readonly id: number; readonly version: number; readonly text: string };

/** The record of the second table, replaced in every commit: it describes the first one. */
export type Control = {
  readonly commit: number;
  readonly isReady: boolean;
  readonly count: number;
  /** Of the list, in bytes. */
  readonly size: number;
  /** Of the hashes of all records. */
  readonly sum: number;
};

export function jsonOf(id: number, version: number): string {
  return JSON.stringify({ id, version, text: textOf(id, version) } satisfies RaceRecord);
}

export function hashOf(id: number, version: number): number {
  return Math.imul(Math.imul(id, 0x9e3779b1) ^ version, 0x85ebca6b) >>> 0;
}

/** Every byte is known. Some are longer than a page. */
export function textOf(id: number, version: number): string {
  const length = 1 + ((id * 31 + version * 17) % 200);
  return String.fromCharCode(97 + ((id + version) % 26)).repeat(version % 97 === 0 ? length * 100 : length);
}
