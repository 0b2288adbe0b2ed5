/** The record that a call is about. */
import { invalidArgument } from './send/failure.ts';

/** A record, of which `version` is checked: nothing is changed if the server has another one. Or an id, without a check. */
export type Target = number | { readonly id: number; readonly version: number };

/** Throws `invalid_argument`. */
export function idOf(target: Target, collection: string): number {
  const id = typeof target === 'object' ? target.id : target;
  if (Number.isSafeInteger(id)) return id;
  throw invalidArgument(`The id of a record of ${collection} is ${id}: expected a number.`);
}

/** The version to check; undefined for an id. Throws `invalid_argument`. */
export function versionOf(target: Target): number | undefined {
  if (typeof target !== 'object') return undefined;
  const { id, version } = target;
  if (Number.isSafeInteger(version)) return version;
  // Without a version it would be changed whatever it is.
  throw invalidArgument(`Record ${id} has no version: give its id, or the whole record.`);
}
