/** An object with a member for each collection. */

/** `members` has those that are no collections; `make` is called when a collection is first used. */
export function byName(members: Iterable<[string, unknown]>, make: (name: string) => unknown): object {
  const known = new Map<string, unknown>(members);
  return new Proxy(Object.freeze({}), {
    get(_, name) {
      // Names of collections start with a lower-case letter; a runtime asks for others, such as symbols.
      if (typeof name !== 'string' || !/^[a-z][a-z0-9_]*$/.test(name)) return undefined;
      if (!known.has(name)) known.set(name, make(name));
      return known.get(name);
    },
  });
}
