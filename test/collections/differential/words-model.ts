/** The model of a search by words: character by character, without an index. */

/** A run of letters and digits; `isUnspaced` in scripts that write words without spaces. */
type Run = { readonly characters: readonly string[]; readonly isUnspaced: boolean; readonly hasStar: boolean };

const unspaced = /\p{scx=Han}|\p{scx=Hira}|\p{scx=Kana}|\p{scx=Thai}|\p{scx=Laoo}|\p{scx=Khmr}|\p{scx=Mymr}/u;
const counts = 64;

const foldedCharacter = (one: string) => (one === 'ı' ? one : one.toLowerCase().toUpperCase().toLowerCase());
const isIgnored = (one: string) => one !== '\u200b' && /\p{M}|\p{Default_Ignorable_Code_Point}/u.test(one);
const isInWord = (one = '') => /^[\p{L}\p{N}]/u.test(one);

function runsIn(text: string): Run[] {
  const folded = [...text.normalize('NFKC')].map(foldedCharacter).join('').normalize('NFKD');
  const characters = [
    ...[...folded]
      .filter((one) => !isIgnored(one))
      .join('')
      .normalize('NFKC'),
  ];
  const runs: Run[] = [];
  let run: string[] = [];
  characters.forEach((one, at) => {
    if (!isInWord(one)) return;
    run.push(one);
    const next = characters[at + 1];
    if (isInWord(next) && unspaced.test(next ?? '') === unspaced.test(one)) return;
    const hasStar = next === '*' && !isInWord(characters[at + 2]);
    runs.push({ characters: run, isUnspaced: unspaced.test(one), hasStar });
    run = [];
  });
  return runs;
}

const wordOf = ({ characters }: Run) => characters.slice(0, counts).join('');

/** Whether each word of the query is in one of the texts. */
export function hasWords(query: string, texts: readonly string[]): boolean {
  const runs = texts.flatMap(runsIn);
  return runsIn(query).every((wanted) => {
    if (!wanted.isUnspaced) {
      const word = wordOf(wanted);
      const words = runs.filter(({ isUnspaced }) => !isUnspaced).map(wordOf);
      return words.some((one) => (wanted.hasStar ? one.startsWith(word) : one === word));
    }
    const places = wanted.characters.length === 1 ? [0] : wanted.characters.slice(1).map((_, at) => at);
    return places.every((at) => {
      const pair = wanted.characters.slice(at, at + 2).join('');
      return runs.some(({ characters, isUnspaced }) => isUnspaced && characters.join('').includes(pair));
    });
  });
}

/** Eight scripts and more, in forms that are one word. */
export const scriptTexts = [
  ...['Ärger, Straße', 'A\u0308RGER STRASSE', 'STRAẞE', 'ﬁne ½ x²', 'Ἀθῆναι Σοφός', 'ΑΘΗΝΑΙ σοφος', 'Ёлка мир', 'ЕЛКА'],
  ...['مَكْتَبَة', 'مكتبة', 'שָׁלוֹם', 'שלום', '東京都 cafe', '京都', '都', 'ｶﾞギ', 'かぎ', 'สวัสดีไทย', 'ดีไ', '한국어 문서'],
  ...['हिन्दी किताब', 'हनद', 'a b* c-d', 'b', 'İı I', 'soft\u00adhyphen', 'zero\u200bwidth', '*', '…', 'ἀθηναι*'],
];
