/** What a person may have meant by a number with a decimal comma, or by a day or a time in another form: the values to offer. */
import { timeIn, timeText } from '../values/moment-text.ts';

const digits = /^-?\d+$/;
/** 15.11.2026 8:00 */
const daysWithPoints = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?:,?\s+(\d{1,2}:\d\d|\d\d:\d\d:\d\d))?$/;
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
  const [, day = '', month = '', year = '', time] = daysWithPoints.exec(text.trim()) ?? [];
  if (year === '') return [];
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (type === 'date') return time === undefined ? [date] : [];
  const at = type === 'timestamp' ? timeIn(`${date} ${(time ?? '00:00').padStart(5, '0')}`) : undefined;
  return at === undefined ? [] : [timeText(at)];
}

/** The elements of a text with semicolons between them; undefined if it has none. */
export function elementsIn(text: string): readonly string[] | undefined {
  const elements = text.split(';').map((one) => one.trim());
  return elements.length < 2 ? undefined : elements.filter((one) => one !== '');
}
