/** The role that a request is made in: the caller's own, or another one that holds for it, by the header Shelf-Role. */
import type { AccessDeclaration } from '../../domain/access/declaration.ts';
import { holds, roleOfAnybody, roleOfClaims } from '../../domain/access/roles.ts';
import type { Caller } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';

export const roleHeader = 'Shelf-Role';

const nobody = { id: '', name: '', claims: {} };

export class CallerRoles {
  /** The caller of a request without a key; undefined if the file has no role for it. */
  readonly anonymous: Caller | undefined;

  constructor(readonly declared: AccessDeclaration['roles']) {
    const role = roleOfAnybody(declared);
    this.anonymous = role === undefined ? undefined : inRole(nobody, role);
  }

  /** Of a verified token: in the first role that its claims give, otherwise with its scope. Undefined if it has neither. */
  ofToken(caller: Caller): Caller | undefined {
    const role = roleOfClaims(this.declared, caller.claims);
    if (role !== undefined) return inRole(caller, role);
    if (caller.scope !== undefined) return caller;
    // It may do what anybody may.
    return this.anonymous?.role === undefined ? undefined : inRole(caller, this.anonymous.role);
  }

  /** As the request asks to act. `wanted` is its Shelf-Role. Throws `forbidden`. */
  acting(caller: Caller | undefined, wanted: string | null): Caller | undefined {
    if (caller?.role !== undefined && !Object.hasOwn(this.declared, caller.role))
      throw refused(`The role ${caller.role} of ${caller.name} is not in the configuration file`);
    if (wanted === null || wanted === caller?.role) return caller ?? this.anonymous;
    const base = caller ?? nobody;
    const source = Object.hasOwn(this.declared, wanted) ? this.declared[wanted]?.from : undefined;
    // An API key has what it was made with.
    const isKey = caller !== undefined && caller.isToken !== true;
    if (isKey || source === undefined || !holds(source, base.claims))
      throw refused(
        `${roleHeader} ${JSON.stringify(wanted.slice(0, 60))} is no role of ${caller?.name ?? 'a request without a key'}`,
      );
    return inRole(base, wanted);
  }
}

function inRole(caller: Pick<Caller, 'id' | 'name' | 'claims'>, role: string): Caller {
  return { ...caller, scope: undefined, collections: undefined, role };
}

function refused(why: string): Failure {
  return new Failure('forbidden', { detail: `${why}.` });
}
