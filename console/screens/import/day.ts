/** Days and moments, as the server takes them. */

export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '0001') return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  // Some browsers read February 30 as March 2.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

const moment = /^(\d{4}-\d\d-\d\d)T(?!24)\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** RFC 3339, from year 1 to 9999. */
export function isMoment(text: string): boolean {
  const day = moment.exec(text)?.[1];
  if (day === undefined || !isDay(day)) return false;
  const time = Date.parse(text.toUpperCase().replace(/(\.\d{3})\d+/, '$1'));
  if (Number.isNaN(time)) return false;
  const utc = new Date(time).toISOString();
  return /^\d/.test(utc) && utc >= '0001';
}
