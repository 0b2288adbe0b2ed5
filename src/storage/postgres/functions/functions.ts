/** Functions in PostgreSQL, named by what they do. */
import { literal } from '../../../domain/sql-text.ts';

export type SqlFunction = { readonly name: string; readonly statement: string };

/**
 * The name has a digest of the body, so that instances of two versions, or with two declarations, can run side by side during
 * an upgrade.
 */
export function namedByBody(
  prefix: string,
  parameters: string,
  body: string,
  attributes = 'returns text',
): SqlFunction {
  const name = `${prefix}_${Bun.hash(parameters + attributes + body).toString(36)}`;
  return {
    name,
    statement: `create function ${name}(${parameters}) ${attributes} language plpgsql as ${literal(body)}`,
  };
}
