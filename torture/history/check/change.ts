/** A change as the feed reports it, and the forms in which answers show its record. */
import type { CollectionName } from '../clients/operation.ts';

export type Change = {
  readonly changeNumber: number;
  readonly type: 'created' | 'updated' | 'deleted';
  readonly collection: CollectionName;
  readonly id: number;
  readonly external: number;
  readonly name: string;
  readonly price: number | undefined;
  readonly version: number;
  /** The record as v2 shows it. */
  readonly record: string;
  /** The record as the contract shows it. */
  readonly plain: string;
  /** Identifies the change with all its content. */
  readonly digest: string;
};

/** A record in an answer of v2. */
export type RecordBody = {
  readonly id: number;
  readonly external_id: number;
  readonly name: string;
  readonly price?: number;
  readonly version: number;
};

/** One element of `data` in GET /api/v2/changes, or the data of one event. */
export type ChangeBody = { readonly seq: number; readonly type: string; readonly record: RecordBody };

export function changeOf(body: ChangeBody): Change {
  const { seq: changeNumber, type, record } = body;
  const [singular, action] = type.split('.');
  if (action !== 'created' && action !== 'updated' && action !== 'deleted')
    throw new Error(`unknown change type ${type}`);
  const { id, external_id: external, name, price, version } = record;
  return {
    changeNumber,
    type: action,
    collection: singular === 'item' ? 'items' : 'users',
    id,
    external,
    name,
    price,
    version,
    record: JSON.stringify(record),
    plain: JSON.stringify({ id: external, name, price }),
    digest: digestOf(body),
  };
}

export function digestOf(body: ChangeBody): string {
  return `${body.seq} ${Bun.hash.crc32(JSON.stringify(body)).toString(36)}`;
}

export function describeChange({ changeNumber, type, collection, id, name, version }: Change): string {
  return `change ${changeNumber} (${collection} ${id} ${type}, ${name}, version ${version})`;
}
