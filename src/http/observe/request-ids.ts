/** Ids for requests without one: unique across restarts and instances, and cheaper than a UUID or the digits of a number for each. */

/** The last two digits. */
const lastDigits = Array.from({ length: 36 ** 2 }, (_, value) => value.toString(36).padStart(2, '0'));

export function requestIds(): () => string {
  const run = crypto.randomUUID().slice(0, 13);
  let front = '';
  let count = 0;
  return () => {
    const last = count % lastDigits.length;
    // A join is one text; a template would refer to its parts, and each id would have to copy all of them.
    if (last === 0) front = [run, Math.floor(count / lastDigits.length).toString(36)].join('-');
    count++;
    return front + lastDigits[last];
  };
}
