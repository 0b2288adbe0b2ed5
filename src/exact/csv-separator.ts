/** The character between the cells of CSV: some spreadsheets write semicolons, and copy with tabs. */

/** The first of those that a line has equally often. */
const separators = [',', ';', '\t'];

/** A line can have a line break within quotes. */
const line = /^(?:"[^"]*"|[^"\n])*/;

/** Whether the text has the end of its first line that is not blank. */
export function firstLineEnds(text: string): boolean {
  const begun = text.trimStart();
  return begun[line.exec(begun)?.[0].length ?? 0] === '\n';
}

/** The one that the first line has most, outside of quotes. */
export function separatorIn(text: string): string {
  const first = (line.exec(text.trimStart())?.[0] ?? '').replace(/"[^"]*"/g, '');
  const count = (separator: string) => first.split(separator).length;
  return separators.reduce((best, one) => (count(one) > count(best) ? one : best));
}
