/** Suggestions for a word that is not known. */

/** No known word is as long. */
const longest = 100;

/** Continues a message: `; did you mean "authors"?`, or the known words if none is similar. */
export function suggestion(word: string, known: readonly string[]): string {
  const [best] = known
    .map((one) => ({ one, edits: distance(word.slice(0, longest), one) }))
    .filter(({ one, edits }) => edits <= Math.max(1, Math.floor(one.length / 3)))
    .sort((first, second) => first.edits - second.edits);
  return best === undefined ? `; known: ${known.join(', ')}` : `; did you mean "${best.one}"?`;
}

/** Insertions, deletions and replacements (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let at = 1; at <= from.length; at++) {
    const next = [at];
    for (let index = 1; index <= to.length; index++) {
      const replaced = (row[index - 1] ?? 0) + (from[at - 1] === to[index - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
