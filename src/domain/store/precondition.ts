/**
 * Preconditions of a change (RFC 9110, section 13). Checked where writes are serialized, so no other write comes
 * between.
 */

/** The record must have one of the tags in `match` and none of the tags in `noneMatch`; `*` stands for every tag. */
export type Precondition<Tag> = {
  readonly match: readonly Tag[] | undefined;
  readonly noneMatch: readonly Tag[] | '*' | undefined;
};

/** For a record that exists. `tag` is called only if the result depends on it. */
export function holds<Tag>(when: Precondition<Tag> | undefined, tag: () => Tag): boolean {
  if (when === undefined) return true;
  const { match, noneMatch } = when;
  if (noneMatch === '*') return false;
  if (match === undefined && noneMatch === undefined) return true;
  const current = tag();
  return match?.includes(current) !== false && noneMatch?.includes(current) !== true;
}
