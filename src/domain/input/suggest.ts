/** Suggestions for a word that is not known. */

/** No known word is as long. */
const longest = 100;

/** Continues a message: `; did you mean "authors"?`, or the known words if none is similar. */
export function suggestion(word: string, known: readonly string[]): string {
  return similar(word, known) ?? `; known: ${known.join(', ')}`;
}

/** Continues a message with the most similar word; undefined if none is similar. */
export function similar(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((one) => ({ one, edits: distance(word.slice(0, longest), one) }))
    .filter(({ one, edits }) => edits <= Math.max(1, Math.floor(one.length / 3)))
    .sort((first, second) => first.edits - second.edits);
  return best === undefined ? undefined : `; did you mean "${best.one}"?`;
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let at = 1; at <= from.length; at++) {
    const next = [at];
    for (let index = 1; index <= to.length; index++) {
      const isSwapped = from[at - 1] === to[index - 2] && from[at - 2] === to[index - 1];
      const swapped = isSwapped ? (before[index - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      const replaced = (row[index - 1] ?? 0) + (from[at - 1] === to[index - 1] ? 0 : 1);
      next.push(Math.min(swapped, replaced, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
