/** Names of fields from the names of columns. */

const maxLength = 50;

/** `Published On` becomes `published_on`. `isReserved` is asked for names that are otherwise right. */
export function fieldName(column: string, taken: ReadonlySet<string>, isReserved: (name: string) => boolean): string {
  const plain = column
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  const begun = plain === '' ? 'field' : /^\d/.test(plain) ? `field_${plain}` : plain;
  const short = begun.slice(0, maxLength - 3).replace(/_+$/, '');
  const free = isReserved(short) ? `original_${short}`.slice(0, maxLength - 3) : short;
  for (let number = 2, name = free; ; number++) {
    if (!taken.has(name)) return name;
    name = `${free}_${number}`;
  }
}

/** The name of one record: of books, a book. */
export function singularOf(collection: string): string {
  if (/[^aeiou]ies$/.test(collection)) return `${collection.slice(0, -3)}y`;
  if (/(?:x|ch|sh|ss)es$/.test(collection)) return collection.slice(0, -2);
  return /[^siu]s$/.test(collection) ? collection.slice(0, -1) : collection;
}
