/** The declarations that a database has stored, the same in every engine: the setting `collections`. */
import { checkStored } from '../declarations/check-stored.ts';
import type { StoredDeclaration, StoredDeclarations } from '../declarations/plan.ts';
import { StartError } from '../domain/errors.ts';
import type { FieldDeclaration } from '../domain/record/declaration.ts';
import { parsePlain, plainJson } from '../domain/record/plain-data.ts';

export const declarationsSetting = 'collections';

/** Thrown for declarations that no Shelf can have written. `mistake` is what is wrong, and where. */
export class WrongDeclarations extends StartError {
  constructor(
    readonly mistake: string,
    /** For the message. */
    database = 'The database',
  ) {
    super(
      `${database} has a declaration that Shelf cannot have written (${mistake}): restore a backup. If no other program has written to it, report a mistake of Shelf.`,
    );
  }
}

/** Throws WrongDeclarations: a start must not store what the next one refuses. */
export function encodeDeclarations(stored: StoredDeclarations): string {
  return plainJson(checked(stored));
}

/** Throws WrongDeclarations: a stored declaration becomes SQL. */
export function decodeDeclarations(text: string | undefined): StoredDeclarations {
  return text === undefined ? {} : checked(plainIn(text));
}

/** Throws WrongDeclarations. */
export function checked(value: unknown): StoredDeclarations {
  const stored = checkStored(value);
  if (typeof stored === 'string') throw new WrongDeclarations(stored);
  return stored;
}

function plainIn(text: string): unknown {
  try {
    return parsePlain(text);
  } catch {
    throw new WrongDeclarations('the collections are not JSON');
  }
}

/** Columns of every table, and the contract's id. */
const ownColumns = ['seq', 'id', 'version', 'created_at', 'updated_at'];

/**
 * A table from a release that stored no declarations, not checked: each had the contract's id, and fields of three types. `typeNames` are the
 * field types by the types of columns.
 */
export function inferredFrom(
  singular: string,
  columns: readonly (readonly [name: string, type: string])[],
  typeNames: Readonly<Record<string, string>>,
): StoredDeclaration {
  const fields = columns
    .filter(([column]) => !ownColumns.includes(column))
    .map(([column, type]): [string, FieldDeclaration] => [column, { type: typeNames[type] ?? 'text' }]);
  return { now: { singular, fields: Object.fromEntries(fields), contract: true }, earlier: [] };
}
