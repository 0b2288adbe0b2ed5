/**
 * Names and texts in SQL. No other code puts quotes around them, and nothing else gets into SQL but constants and numbers: test/repository/sql-text.test.ts follows every
 * part. What takes a name that is quoted says so with the type `Identifier`, which only `identifier` makes.
 */
import { StartError } from './errors.ts';

declare const kind: unique symbol;

/** A name of a table, a column, an index or the like, in quotes. */
export type Identifier = string & { readonly [kind]: 'identifier' };
/** A text in quotes. */
export type Literal = string & { readonly [kind]: 'literal' };

/** PostgreSQL cuts a longer name, which may then be that of something else. */
const longestName = 63;

/** Also for a name that a database from elsewhere has: whatever is in it, it stays one name. Throws a StartError if it cannot be one. */
export function identifier(name: string): Identifier {
  if (name === '' || name.length > longestName || name.includes('\0'))
    throw new StartError(
      `The database has the name ${JSON.stringify(name.slice(0, longestName))}: a name has 1 to ${longestName} characters, without U+0000.`,
    );
  return `"${name.replaceAll('"', '""')}"` as Identifier;
}

/** PostgreSQL reads a backslash as itself unless `standard_conforming_strings` is off, which a start refuses. */
export function literal(text: string): Literal {
  if (text.includes('\0')) throw new StartError('A text in SQL cannot have the character U+0000.');
  return `'${text.replaceAll("'", "''")}'` as Literal;
}
