/** Members of the runs of a batch, as JSON. */
import type { Collection } from '../../../domain/record/collection.ts';
import type { Once } from '../../../domain/store/once.ts';
import type { Precondition } from '../../../domain/store/precondition.ts';
import { wordsJsonOf } from '../statements/words.ts';

/** Precondition of a change on the version of its record; undefined for none. */
export type VersionPrecondition = Precondition<number> | undefined;

/** Whose records are added: those of one collection by one caller in one trace; undefined without them. */
export type Target = {
  readonly to: string;
  readonly by?: string | undefined;
  readonly traceId?: string | undefined;
};

/** `wordsOf` has the words of a record as JSON; absent if no field is searched. */
export type AddTarget = Target & { readonly wordsOf?: ((json: string) => string) | undefined };

/** It has a comma before it. */
export function wordsMember(collection: Collection, json: string): string {
  const wordsOf = wordsJsonOf(collection);
  return wordsOf === undefined ? '' : `,"words":${wordsOf(json)}`;
}

export function targetMembers(target: Target): string {
  return `"to":"${target.to}"${callerMembers(target)}`;
}

/** Each has a comma before it. */
export function callerMembers({ by, traceId }: Target): string {
  const named = by === undefined ? '' : `,"by":${JSON.stringify(by)}`;
  return traceId === undefined ? named : `${named},"trace":"${traceId}"`;
}

/** It has a comma before it. */
export function whenMember(when: VersionPrecondition): string {
  if (when === undefined) return '';
  const { match: versions, noneMatch: none } = when;
  return `,"when":${JSON.stringify({ versions, none })}`;
}

/** Each has a comma after it. */
export function onceMembers(once: Once | undefined): string {
  if (once === undefined) return '';
  const { key, digest, former, keptMs } = once;
  return `"key":${JSON.stringify(key)},"digest":"${digest}","former":"${former}","kept_ms":${keptMs},`;
}
