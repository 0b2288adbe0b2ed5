/** The names of the members that are sent, where they are looked at one by one. */

/** More than a failure lists. A body has room for millions, and each is compared with the names that are known. */
const mostUnexpected = 200;

/** In their order: all that are expected, and some that are not. */
export function namesIn(sent: object, isExpected: (name: string) => boolean): readonly string[] {
  const names = Object.keys(sent);
  if (names.length <= mostUnexpected) return names;
  let unexpected = 0;
  return names.filter((name) => isExpected(name) || ++unexpected <= mostUnexpected);
}
