/** Names of collections and fields. */

const valid = /^[a-z][a-z0-9_]*$/;
/** Names of indexes in PostgreSQL have at most 63 bytes, and begin with the name of the collection. */
const maxLength = 50;

/** Paths of the API, and tables of Shelf in either engine. */
const reservedCollections = [
  'keys',
  'me',
  'figures',
  'changes',
  'events',
  'settings',
  'api_keys',
  'idempotency_keys',
  'schema_version',
  'event_tickets',
  'webhooks',
  'v1',
  'v2',
];
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

export function collectionNameMistake(name: string): string | undefined {
  const prefix = reservedPrefixes.find((one) => name.startsWith(one));
  // PostgreSQL names the primary key and the sequence of a table so, and both engines have an index of the contract's id.
  const isRelation = /_(pkey|seq_seq|by_id)$/.test(name);
  if (reservedCollections.includes(name) || name === everyObjectHas || prefix !== undefined || isRelation)
    return `"${name}" is reserved: choose another name`;
  return nameMistake(name);
}

export function fieldNameMistake(name: string, hasContract: boolean): string | undefined {
  if (
    reservedFields.includes(name) ||
    name === everyObjectHas ||
    systemColumns.includes(name) ||
    (hasContract && name === 'external_id')
  )
    return `"${name}" is reserved: choose another name`;
  return nameMistake(name);
}
