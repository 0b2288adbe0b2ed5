/** The names of the query's parameters: they say what kind of request was slow, and no value of a client gets into a log. */

/** As collections and routes have them, such as `title[contains]` and `author.name`. Other text in a query may be a secret. */
const name = /(?:^|&)([a-z][a-z0-9_]{0,63}(?:\.[a-z][a-z0-9_]{0,63}){0,2}(?:\[[a-z_]{1,16}\])?)=/g;
const most = 20;

export function parametersOf(target: string): readonly string[] {
  const start = target.indexOf('?');
  if (start < 0) return [];
  const query = target
    .slice(start + 1)
    .replaceAll(/%5b/gi, '[')
    .replaceAll(/%5d/gi, ']');
  return [...new Set(Array.from(query.matchAll(name), ([, found = '']) => found))].slice(0, most);
}
