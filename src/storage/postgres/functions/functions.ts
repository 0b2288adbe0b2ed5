/** Functions in PostgreSQL, named by what they do. */
import { literal } from '../../../domain/sql-text.ts';

/** `schema` is an SQL identifier. */
export type SqlFunction = { readonly name: string; statement(schema: string): string };

/** In a body: the schema of its tables. */
export const ownSchema = ':own_schema:';

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
    statement: (schema) =>
      `create function ${name}(${parameters}) ${attributes} language plpgsql as ${literal(body.replaceAll(ownSchema, () => schema))}`,
  };
}
