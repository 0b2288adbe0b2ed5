/** Unicode's simple case folding: one character becomes one character, so texts that differ in case alone become equal. */
import { lazy } from '../lazy.ts';

/** Where simple folding is not the lower case of the upper case. */
const irregular: Readonly<Record<string, string>> = {
  ı: 'ı',
  '\u1fd3': '\u0390',
  '\u1fe3': '\u03b0',
  '\ufb05': '\ufb06',
};

/** Higher characters have no case. */
const firstWithoutCase = 0x20000;

export function folded(text: string): string {
  let result = '';
  for (const character of text) result += foldedCharacter(character);
  return result;
}

function foldedCharacter(character: string): string {
  const special = irregular[character];
  if (special !== undefined) return special;
  const upper = oneCharacter(character.toUpperCase()) ?? character;
  return oneCharacter(upper.toLowerCase()) ?? upper;
}

/** Undefined for several, as in the upper case of ß. */
function oneCharacter(text: string): string | undefined {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff) ? text : undefined;
}

/** Every character that folds to the same as this one, itself included. */
export function sameWhenFolded(character: string): readonly string[] {
  return byFolded().get(foldedCharacter(character)) ?? [character];
}

const byFolded = lazy(() => {
  const all = Array.from({ length: firstWithoutCase }, (_, code) => String.fromCodePoint(code)).join('');
  const cased = all.match(/\p{Changes_When_Casemapped}/gu) ?? [];
  return Map.groupBy(cased, foldedCharacter);
});
