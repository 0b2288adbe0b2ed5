/** Which members of a sent object are looked at one by one. */

/** More than a failure lists. A body can have millions, and each is compared with all names that are known. */
const mostUnexpected = 200;

/** Their names, in the order in which they were sent: all that are expected, and the first of the others. */
export function namesIn(sent: object, isExpected: (name: string) => boolean): readonly string[] {
  const names = Object.keys(sent);
  if (names.length <= mostUnexpected) return names;
  let unexpected = 0;
  return names.filter((name) => isExpected(name) || ++unexpected <= mostUnexpected);
}
