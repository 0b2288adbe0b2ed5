/** What the migrating thread and the main thread tell each other. */
import type { Permission } from '../../../declarations/refusal.ts';
import type { Declarations } from '../../../domain/record/declaration.ts';
import type { Thrown } from '../../../threads/thrown.ts';

/** The only message to the thread. */
export type MigrationOrder = {
  readonly filename: string;
  readonly declarations: Declarations;
  readonly permission: Permission;
  /** One word: the verdict of the main thread. */
  readonly verdict: SharedArrayBuffer;
};

export const verdicts = { none: 0, commit: 1, rollBack: 2 } as const;

export type MigrationNews =
  | { readonly step: string }
  | { readonly kind: 'ready to commit' | 'done' }
  | { readonly thrown: Thrown };
