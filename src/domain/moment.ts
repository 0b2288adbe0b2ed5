/** Days and moments as text. */

/** PostgreSQL has no year 0, and a year of five digits does not sort as text. */
export const firstMoment = '0001-01-01T00:00:00.000Z';
export const lastMoment = '9999-12-31T23:59:59.999Z';

/** RFC 3339, so no hour 24. Moments have milliseconds; further digits, which Python sends, are cut. */
const moment = /^(\d{4}-\d\d-\d\d)T(?!24)\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;

/** Whether the calendar has this day, from year 1 to 9999. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < firstMoment.slice(0, 10)) return false;
  const ms = Date.parse(text);
  // Date parses February 30 as March 2.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
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
