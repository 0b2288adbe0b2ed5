/** Programs for the typed client, with the values that a screen shows. */
import { elementsOf, type JsonText } from '../../src/exact/json-text.ts';
import { elementOf, type FieldDeclaration } from '../api/declarations.ts';
import { startedAs } from '../state/session.ts';
import { typesCommand } from './commands.ts';

/** `body` uses `shelf`. */
export function programOf(body: string, withKey: boolean): string {
  const key = withKey ? ', key: process.env.SHELF_KEY' : '';
  return `${trustNote()}import { createClient } from ${quote('shelf-client')};
import type { Shelf } from ${quote('./shelf.d.ts')}; // ${typesCommand()}

const shelf = createClient<Shelf>({ url: '${location.origin}'${key} });
${body}
`;
}

/** A program cannot say for itself which certificates it trusts. */
export function trustNote(): string {
  const { trust } = startedAs();
  return trust === '' ? '' : `// Run it with NODE_EXTRA_CA_CERTS=${trust}: its authority is not a public one.\n`;
}

/** A value in JSON as the client takes it: a 64-bit integer is a bigint. */
export function literalOf(value: JsonText, field: FieldDeclaration): string {
  const { type, of } = field;
  if (value === 'null') return value;
  if (type === 'integer') return `${value}n`;
  if (type !== 'list' || of === undefined) return value.startsWith('"') ? quote(JSON.parse(value)) : value;
  return `[${elementsOf(value)
    .map((one) => literalOf(one, elementOf(field)))
    .join(', ')}]`;
}

/** In single quotes. */
export function quote(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

export function listLiteral(texts: readonly string[]): string {
  return `[${texts.map(quote).join(', ')}]`;
}

/** An object of literals; a name that is no identifier is quoted. */
export function objectLiteral(members: Iterable<readonly [name: string, literal: string]>): string {
  const all = [...members].map(([name, literal]) => `${/^[a-z_]\w*$/i.test(name) ? name : quote(name)}: ${literal}`);
  return all.length === 0 ? '{}' : `{ ${all.join(', ')} }`;
}
