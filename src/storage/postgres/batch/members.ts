/** Members of the runs of a batch, as JSON. */
import type { Once } from '../../../domain/store/once.ts';
import type { Precondition } from '../../../domain/store/precondition.ts';

/** Precondition of a change on the version of its record; undefined for none. */
export type VersionPrecondition = Precondition<number> | undefined;

/** Whose records are added: those of one collection by one caller; undefined without a caller. */
export type Target = { readonly to: string; readonly by?: string | undefined };

export function targetMembers({ to, by }: Target): string {
  return by === undefined ? `"to":"${to}"` : `"to":"${to}","by":${JSON.stringify(by)}`;
}

export function whenMembers(when: VersionPrecondition): string {
  const { match = null, noneMatch = null } = when ?? {};
  return `"versions":${JSON.stringify(match)},"none":${JSON.stringify(noneMatch)}`;
}

/** Each has a comma after it. */
export function onceMembers(once: Once | undefined): string {
  if (once === undefined) return '';
  const { key, digest, former, keptMs } = once;
  return `"key":${JSON.stringify(key)},"digest":"${digest}","former":"${former}","kept_ms":${keptMs},`;
}
