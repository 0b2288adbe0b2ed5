/** The changes of the feed that an operation made. */
import type { Operation } from '../clients/operation.ts';

/** Where an operation belongs in the order of the feed; positions count from 1. */
export type Placement =
  /** It made the changes from `first` to `last`, and no earlier answer may show one of them. */
  | { readonly kind: 'made'; readonly first: number; readonly last: number }
  /** It made one of these. */
  | { readonly kind: 'made one of'; readonly positions: readonly number[] }
  /** The answer of an earlier attempt: its last change is at `position`. */
  | { readonly kind: 'replay'; readonly position: number };

export type Effects = { readonly placements: Map<Operation, Placement>; readonly complaints: string[] };
