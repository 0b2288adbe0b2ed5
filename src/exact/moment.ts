/** Days and moments as text. */

/** PostgreSQL has no year 0, and a year of five digits does not sort as text. */
export const firstMoment = '0001-01-01T00:00:00.000Z';
export const lastMoment = '9999-12-31T23:59:59.999Z';

/** RFC 3339, so no hour 24, and seconds are required. Moments have milliseconds; further digits, which Python sends, are cut. */
const moment = /^(\d{4}-\d\d-\d\d)T(?!24)\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

const dash = 0x2d;
const longest = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether the calendar has this day, from year 1 to 9999. A million days of a bulk are checked faster than Date parses them. */
export function isDay(text: string): boolean {
  if (text.length !== 10 || text.charCodeAt(4) !== dash || text.charCodeAt(7) !== dash) return false;
  const [year, month, day] = [numberIn(text, 0, 4), numberIn(text, 5, 7), numberIn(text, 8, 10)];
  if (!(year >= 1 && month >= 1 && day >= 1)) return false;
  const days = month === 2 && !isLeap(year) ? 28 : (longest[month - 1] ?? 0);
  return day <= days;
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** The number of these digits; NaN if there is another character. */
function numberIn(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    number = digit >= 0 && digit <= 9 ? number * 10 + digit : Number.NaN;
  }
  return number;
}

/** UTC with milliseconds; undefined if the text is not a time within the bounds. */
export function momentOf(text: string): string | undefined {
  const day = moment.exec(text)?.[1];
  if (day === undefined || !isDay(day)) return undefined;
  const ms = Date.parse(text.toUpperCase().replace(/(\.\d{3})\d+/, '$1'));
  if (Number.isNaN(ms)) return undefined;
  const utc = new Date(ms).toISOString();
  // Years after 9999 begin with a plus, and years before 0 with a minus.
  return /^\d/.test(utc) && utc >= firstMoment ? utc : undefined;
}
