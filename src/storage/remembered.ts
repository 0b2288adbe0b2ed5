/** The declarations that a database remembers, the same in every engine: the setting `collections`. */
import type { Remembered } from '../declarations/plan.ts';
import type { CollectionDeclaration, FieldDeclaration } from '../domain/declaration.ts';
import { parsePlain, plainJson } from '../domain/plain.ts';

export const rememberedSetting = 'collections';

export function encodeRemembered(remembered: Remembered): string {
  return plainJson(remembered);
}

export function decodeRemembered(text: string | undefined): Remembered {
  return text === undefined ? {} : (parsePlain(text) as unknown as Remembered);
}

/** Columns of every table, and the contract's id. */
const ownColumns = ['seq', 'id', 'version', 'created_at', 'updated_at'];

/**
 * The declaration of a table from a release that remembered none: each had the contract's id, and fields of three types.
 * `typeNames` are the field types by the types of columns.
 */
export function inferredFrom(
  columns: readonly (readonly [name: string, type: string])[],
  typeNames: Readonly<Record<string, string>>,
  singular: string,
): CollectionDeclaration {
  const fields = columns
    .filter(([name]) => !ownColumns.includes(name))
    .map(([name, type]): [string, FieldDeclaration] => [name, { type: typeNames[type] ?? 'text' }]);
  return { singular, fields: Object.fromEntries(fields), contract: true };
}
