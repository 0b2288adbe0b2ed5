/** Names of collections and fields. */

const valid = /^[a-z][a-z0-9_]*$/;
/** Names of indexes in PostgreSQL have at most 63 bytes, and begin with the name of the collection. */
const maxLength = 50;

/** Of the API. A database may have a collection that had its name before. */
const paths = ['keys', 'me', 'figures', 'events', 'transactions', 'webhooks', 'v1', 'v2'];
/** The typed client has each collection under its name, and this method. */
const ofClient = ['transaction'];
/** Of Shelf in either engine. */
const tables = ['changes', 'settings', 'api_keys', 'idempotency_keys', 'schema_version', 'event_tickets'];
/** Tables of the engines themselves, and indexes of Shelf's. */
const reservedPrefixes = ['sqlite_', 'pg_', 'api_keys_', 'event_tickets_'];
/** Members that every record has, those of an answer, and the column of the id. */
const reservedFields = ['id', 'version', 'created_at', 'updated_at', 'expanded', 'seq'];
/** Columns that every table of PostgreSQL has. */
const systemColumns = ['ctid', 'tableoid', 'xmin', 'xmax', 'cmin', 'cmax'];

/** Values are kept by their names, and every object of JavaScript has this one. */
const everyObjectHas = 'constructor';

/** Undefined if the name is right. */
export function nameMistake(name: string): string | undefined {
  if (!valid.test(name)) return 'must have only lower-case letters, digits and _, with a letter first';
  return name.length > maxLength ? `must have at most ${maxLength} characters` : undefined;
}

/** Whether it is a path of the API, or a method of the client: no new collection can have this name. */
export function isTaken(name: string): boolean {
  return paths.includes(name) || ofClient.includes(name);
}

export function reserved(name: string): string {
  return `"${name}" is reserved: choose another name`;
}

/** Undefined if a table can have the name. */
export function collectionNameMistake(name: string): string | undefined {
  const prefix = reservedPrefixes.find((one) => name.startsWith(one));
  // PostgreSQL names the primary key and the sequence of a table so, and both engines have an index of the contract's id.
  const isRelation = /_(pkey|seq_seq|by_id)$/.test(name);
  if (tables.includes(name) || name === everyObjectHas || prefix !== undefined || isRelation) return reserved(name);
  return nameMistake(name);
}

export function fieldNameMistake(name: string, hasContract: boolean): string | undefined {
  if (
    reservedFields.includes(name) ||
    name === everyObjectHas ||
    systemColumns.includes(name) ||
    (hasContract && name === 'external_id')
  )
    return reserved(name);
  return nameMistake(name);
}
