/** The types of `createMany`. */
import type { CreateOptions } from './send/sender.ts';
import type { DraftOf, ShelfTypes } from './shape.ts';

export type Progress = {
  /** Records that are in, all batches together. */
  readonly created: number;
  /** The ids of the last batch. */
  readonly first_id: number;
  readonly last_id: number;
};

export type CreateManyOptions = CreateOptions & {
  /** Called after each batch. */
  readonly onProgress?: (progress: Progress) => void;
  readonly key?: undefined;
};

export type KeyedProgress = {
  /** Records that are in, all batches together. */
  readonly created: number;
  readonly updated: number;
  /** The ids that the last batch has created; null if it has none. */
  readonly first_id: number | null;
  readonly last_id: number | null;
};

export type KeyedManyOptions<Key> = CreateOptions & {
  /** The fields of a unique rule. */
  readonly key: Key;
  /** Called after each batch. */
  readonly onProgress?: (progress: KeyedProgress) => void;
};

/** The fields of each unique rule. */
export type KeyOf<Shelf extends ShelfTypes<Shelf>, Name extends keyof Shelf> = Readonly<Shelf[Name]['unique']>;

/** The fields of the key, and any others: a record that exists keeps those that are left out. Without generated types, any fields. */
export type KeyedDraft<
  Shelf extends ShelfTypes<Shelf>,
  Name extends keyof Shelf,
  Key,
> = Key extends readonly (infer Field)[]
  ? string extends Field
    ? DraftOf<Shelf, Name>
    : { readonly [One in Field & keyof DraftOf<Shelf, Name>]: NonNullable<DraftOf<Shelf, Name>[One]> } & Partial<
        Omit<DraftOf<Shelf, Name>, Field & string>
      >
  : never;
