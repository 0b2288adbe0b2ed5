/** What a person may have meant by a number with a decimal comma, or by a day in another form: the values to offer. */

const digits = /^-?\d+$/;
const spaces = /[\s'’]/g;

/** The numbers that the text can be; empty if it is one already, or none. */
export function numbersIn(text: string): readonly string[] {
  const plain = text.trim().replaceAll(spaces, '').replace(/^\+/, '');
  if (/^-?\d+(\.\d+)?$/.test(plain)) return plain === text.trim() ? [] : [plain];
  const offers: string[] = [];
  // 1.234,50
  if (/^-?(\d+|\d{1,3}(\.\d{3})+),\d+$/.test(plain)) offers.push(plain.replaceAll('.', '').replace(',', '.'));
  // 1,234.50
  if (/^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain)) offers.push(plain.replaceAll(',', ''));
  // 1.234.567
  if (/^-?\d{1,3}(\.\d{3}){2,}$/.test(plain)) offers.push(plain.replaceAll('.', ''));
  return offers;
}

export function offersFor(text: string, type: string): readonly string[] {
  if (type === 'integer') return numbersIn(text).filter((offer) => digits.test(offer));
  if (type === 'number' || type === 'decimal') return numbersIn(text);
  const [, day = '', month = '', year = ''] = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})$/.exec(text.trim()) ?? [];
  if (type !== 'date' || year === '') return [];
  return [`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`];
}

/** The elements of a text with semicolons between them; undefined if it has none. */
export function elementsIn(text: string): readonly string[] | undefined {
  const elements = text.split(';').map((one) => one.trim());
  return elements.length < 2 ? undefined : elements.filter((one) => one !== '');
}
