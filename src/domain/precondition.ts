/** Preconditions of a change (RFC 9110, section 13), judged where writes are ordered: nothing comes between them and the write. */

/** The record has one of the tags in `match`, and none of those in `noneMatch`, of which a star stands for all. */
export type Precondition<Tag> = {
  readonly match: readonly Tag[] | undefined;
  readonly noneMatch: readonly Tag[] | '*' | undefined;
};

/** Of a record that exists; `tag` is asked for only where it counts. */
export function holds<Tag>(when: Precondition<Tag> | undefined, tag: () => Tag): boolean {
  if (when === undefined) return true;
  const { match, noneMatch } = when;
  if (noneMatch === '*') return false;
  if (match === undefined && noneMatch === undefined) return true;
  const current = tag();
  return match?.includes(current) !== false && noneMatch?.includes(current) !== true;
}
