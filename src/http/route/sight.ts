/** What a route shows to callers with a role, and for whom a request reads and writes. */
import type { BoundAccess } from '../../domain/access/bound-access.ts';
import type { Rights } from '../../domain/access/rights.ts';
import { seenIn, type View } from '../../domain/access/view.ts';
import { Failure } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { everybody, type Writer } from '../../domain/store/writes.ts';
import type { TargetOf } from '../../domain/where/field-path.ts';

/**
 * How a route applies the rules of a role. `records`: its handler reads and writes by the views and rights of the caller. `own rights`: it tells the caller
 * of itself alone. `scope only`: a caller with a role is refused. `open`: it has neither records nor figures of them.
 */
export const sights = ['records', 'own rights', 'scope only', 'open'] as const;
export type RouteSight = (typeof sights)[number];

/** For whom a request is: undefined for a caller with a scope. */
export type Acting = { readonly access: BoundAccess | undefined };

/** `whole` is the view of a caller with a scope: a constant of the route. Throws `unknown_path` for a collection that does not exist for the caller. */
export function viewFor({ access }: Acting, whole: View): View {
  if (access === undefined) return whole;
  const view = access.viewOf(whole.collection);
  if (view === undefined) throw new Failure('unknown_path');
  return view;
}

/** The collection by which queries are read. */
export function seenFor(acting: Acting, whole: View): Collection {
  return seenIn(viewFor(acting, whole));
}

export function writerFor({ access }: Acting): Writer {
  return access ?? everybody;
}

/** The collection by which bodies are read; undefined if no rule allows the operation. */
export function bodyFor(
  acting: Acting,
  collection: Collection,
  operation: 'create' | 'update' | 'upsert',
): Collection | undefined {
  return acting.access === undefined ? collection : rightsFor(acting.access, collection)[operation]?.body;
}

function rightsFor(access: BoundAccess, collection: Collection): Rights {
  const rights = access.rightsOf(collection);
  if (rights === undefined) throw new Failure('unknown_path');
  return rights;
}

/** Whether a rule allows to delete some records. */
export function mayDelete({ access }: Acting, collection: Collection): boolean {
  return access === undefined || rightsFor(access, collection).delete !== undefined;
}

export function forbidden({ access }: Acting, operation: string, { name }: Collection): Failure {
  return new Failure('forbidden', {
    detail: `The role ${access?.role ?? ''} may not ${operation} records of ${name}.`,
  });
}

/** The collections that paths lead to, for a caller with a role; those of a caller with a scope if there is none. */
export function targetsFor({ access }: Acting, others: () => TargetOf): TargetOf {
  return access === undefined ? others() : access.targetOf;
}
