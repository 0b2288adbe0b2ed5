/** Values in the text format of COPY. */

const special = /[\\\n\r\t]/;
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** `value` is the text that PostgreSQL reads for the column. */
export function copyText(value: string | null): string {
  if (value === null) return '\\N';
  return special.test(value) ? value.replace(/[\\\n\r\t]/g, (character) => escapes[character] ?? '') : value;
}
