/** Comparing texts in any case by GLOB, whose classes of characters have the spellings of each. */
import { sameWhenFolded } from '../../../domain/where/case-folding.ts';
import type { Expressions } from '../../query-sql.ts';

type Bind = Parameters<Expressions['sameFolded']>[3];

export const sameFolded: Expressions['sameFolded'] = (column, text, isPart, bind) => {
  const [compared, wanted] = /[\ufffd-\uffff]/.test(text) ? withoutMisread(column, text, bind) : [column, text];
  const pattern = Array.from(wanted, globOf).join('');
  return `${compared} glob ${bind(isPart ? `*${pattern}*` : pattern)}`;
};

/** A bracket in a class has to be the first. No other character means anything in a class but ^ at its start. */
function globOf(character: string): string {
  const same = sameWhenFolded(character);
  if (same.length > 1) return `[${same.join('')}]`;
  return ['*', '?', '['].includes(character) ? `[${character}]` : character;
}

/**
 * GLOB reads U+FFFE and U+FFFF as U+FFFD. So characters that the wanted text does not have stand for these two, and another one for those characters
 * themselves.
 */
function withoutMisread(column: string, text: string, bind: Bind): readonly [column: string, text: string] {
  const [first, second, neither] = unused(text);
  const compared = [
    [first, neither],
    [second, neither],
    ['\ufffe', first],
    ['\uffff', second],
  ].reduce((inner, [from = '', to = '']) => `replace(${inner}, ${bind(from)}, ${bind(to)})`, column);
  return [compared, text.replaceAll('\ufffe', first).replaceAll('\uffff', second)];
}

/** Private characters have no case, and a text is shorter than they are many. */
function unused(text: string): readonly [string, string, string] {
  let code = 0xf0000;
  const next = () => {
    while (text.includes(String.fromCodePoint(code))) code++;
    return String.fromCodePoint(code++);
  };
  return [next(), next(), next()];
}
