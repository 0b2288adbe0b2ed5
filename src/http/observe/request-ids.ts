/** Ids for requests without one: unique across restarts and instances, and cheaper than a UUID or the digits of a number for each. */

/** The last two digits. */
const lastDigits = Array.from({ length: 36 ** 2 }, (_, value) => value.toString(36).padStart(2, '0'));

export function requestIds(): () => string {
  const run = crypto.randomUUID().slice(0, 13);
  let ids: readonly string[] = [];
  let count = 0;
  return () => {
    const last = count % lastDigits.length;
    if (last === 0) {
      const front = `${run}-${Math.floor(count / lastDigits.length).toString(36)}`;
      // A join is one text; a template would refer to its parts, and the header and the log line would each copy them.
      ids = lastDigits.map((digits) => [front, digits].join(''));
    }
    count++;
    return ids[last] ?? '';
  };
}
