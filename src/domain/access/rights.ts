/** What a caller with a role may do with one collection, with the values of its request. */
import type { Collection } from '../record/collection.ts';
import type { FieldValue } from '../types/type.ts';
import type { Filterable, Where } from '../where/where.ts';
import type { View } from './view.ts';

/** The fields that the server sets, and bodies of which they are read by `body.record`. */
type Sent = {
  /** The collection by whose record bodies are read: only the fields that may be sent. */
  readonly body: Collection;
  readonly set: Readonly<Record<string, FieldValue>>;
};

/** `where` is on the record before the change, and `check` after it. */
export type CreateRight = Sent & { readonly check: Where };
export type UpdateRight = Sent & { readonly where: Where; readonly check: Where };
export type DeleteRight = { readonly where: Where };

/** What is undefined is not allowed. */
export type Rights = {
  readonly role: string;
  readonly view: View;
  readonly create: CreateRight | undefined;
  readonly update: UpdateRight | undefined;
  /** For records that are created or updated, whichever it will be. */
  readonly upsert: CreateRight | undefined;
  readonly delete: DeleteRight | undefined;
};

export type RightsOf = (collection: Pick<Filterable, 'name'>) => Rights | undefined;

/** Holds for no record. */
export const nothing: Where = [{ any: [] }];

export function isNothing(where: Where): boolean {
  return where === nothing;
}
