/**
 * Splits texts and queries into words. An engine stores and looks up these words and alters nothing, so all engines and a record in memory match the same.
 * A change of a result needs another version: each database is indexed again at its next start. `split.test.ts` has a digest of all characters.
 */

/** Of the rules in this file. The tables of characters are those of the runtime, and have a version of their own. */
export const splitVersion = 1;

/** Characters of a word that count. Engines do not take words of any length. */
export const maxWord = 64;
/** UTF-8 bytes of the different words of one text that are found: PostgreSQL has room for so many. */
export const maxWordBytes = 1_000_000;

/** A word that a record must have, or the beginning of one. */
export type Lookup = { readonly word: string; readonly isStart: boolean };

/** Scripts that write words without spaces. */
const unspaced = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{scx=${script}}`)
  .join('');
/** Letters and digits, of one kind of script. */
const piece = new RegExp(`[[\\p{L}\\p{N}]&&[${unspaced}]]+|[[\\p{L}\\p{N}]--[${unspaced}]]+`, 'gv');
const firstUnspaced = new RegExp(`^[${unspaced}]`, 'v');
/** A star counts at the end of a word. */
const star = /^\*(?![\p{L}\p{N}])/u;
/** The zero width space is between words. */
const ignored = /[[\p{M}\p{Default_Ignorable_Code_Point}]--\u200b]/gv;
const notAscii = /[^\0-\x7f]/;
/** Most texts are ASCII alone. */
const plainWord = /[a-z0-9]+/g;

/** The different words of a text. */
export function wordsOf(text: string): ReadonlySet<string> {
  const isPlain = !notAscii.test(text);
  const words = new Set<string>();
  let bytes = 0;
  for (const whole of isPlain ? (text.toLowerCase().match(plainWord) ?? []) : everyWord(normalized(text))) {
    const word = shortened(whole);
    if (words.has(word)) continue;
    bytes += isPlain ? word.length : Buffer.byteLength(word);
    if (bytes > maxWordBytes) break;
    words.add(word);
  }
  return words;
}

function* everyWord(text: string): Generator<string, void> {
  for (const [run] of text.matchAll(piece)) {
    if (!firstUnspaced.test(run)) yield run;
    else {
      yield* pairsOf(run);
      yield Array.from(run).at(-1) ?? '';
    }
  }
}

/** What a query looks for: all of it must be found. */
export function lookupsOf(query: string): readonly Lookup[] {
  const text = normalized(query);
  const lookups = new Map<string, Lookup>();
  const add = (word: string, isStart: boolean) => lookups.set(`${word}${isStart ? '*' : ''}`, { word, isStart });
  for (const { 0: run, index } of text.matchAll(piece)) {
    if (!firstUnspaced.test(run))
      add(shortened(run), star.test(text.slice(index + run.length, index + run.length + 3)));
    // Each character of a text begins a pair, or is the last one of a run.
    else if (Array.from(run).length === 1) add(run, true);
    else for (const pair of pairsOf(run)) add(pair, false);
  }
  return [...lookups.values()];
}

/** NFKC, full case folding, without marks. */
function normalized(text: string): string {
  if (!notAscii.test(text)) return text.toLowerCase();
  return fullyFolded(text.normalize('NFKC')).normalize('NFKD').replaceAll(ignored, '').normalize('NFKC');
}

/** Equal for texts that are equal by Unicode's full case folding. The dotless i is no form of i there. */
function fullyFolded(text: string): string {
  return text.replace(/[^ı]+/g, (part) => part.toLowerCase().toUpperCase().toLowerCase()).replaceAll('ς', 'σ');
}

function shortened(word: string): string {
  return word.length <= maxWord ? word : Array.from(word).slice(0, maxWord).join('');
}

function pairsOf(run: string): string[] {
  const characters = Array.from(run);
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}
