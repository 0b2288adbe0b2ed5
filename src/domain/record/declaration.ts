/** Declarations of collections, as plain data: the same in the source, in a configuration file and in the database. */

/** A value of plain data. An integer that a double cannot hold is a bigint. */
export type Plain =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly Plain[]
  | { readonly [key: string]: Plain | undefined };

/** A field: its type, options of every type, and those of its own type. */
export type FieldDeclaration = {
  readonly type: string;
  /** The field may be absent or null. */
  readonly optional?: boolean;
  /** For a body that leaves the field out. */
  readonly default?: Plain;
  /** No two records have the same value. */
  readonly unique?: boolean;
  /** Records can be searched by the words of the field. */
  readonly search?: boolean;
  readonly title?: string;
  readonly description?: string;
  /** The name that the field had before. */
  readonly was?: string;
  readonly min?: Plain;
  readonly max?: Plain;
  readonly pattern?: string;
  readonly scale?: number;
  readonly of?: Plain;
  readonly to?: string;
  readonly on_delete?: 'restrict' | 'clear' | 'cascade';
};

/** Fields of a rule, or with `where`, in the filter language, for some records only. */
export type UniqueDeclaration = readonly string[] | { readonly fields: readonly string[]; readonly where?: Plain };

/** A condition in the filter language that each record meets. The message follows the name of a field. */
export type CheckDeclaration = { readonly where: Plain; readonly message: string };

export type CollectionDeclaration = {
  /** Names one record, as in the event `book.created`. */
  readonly singular: string;
  readonly fields: Readonly<Record<string, FieldDeclaration>>;
  /** Fields, or lists of fields, that clients often sort or filter by; each index makes writes a little slower. */
  readonly indexes?: readonly (string | readonly string[])[];
  /** Fields whose values together are unique, among all records or among those for which `where` holds. */
  readonly unique?: readonly UniqueDeclaration[];
  readonly check?: readonly CheckDeclaration[];
  /** Fields with `search`, all in one place. */
  readonly search?: readonly string[];
  /** The text field that names a record for people, such as where another record refers to it. */
  readonly shown_as?: string;
  /** The record that a new collection starts with. */
  readonly first?: Readonly<Record<string, Plain>>;
  /** Whether the collection also has the contract's routes, or which of them. */
  readonly contract?: boolean | ContractOptions;
  readonly title?: string;
  readonly description?: string;
  /** The name that the collection had before. */
  readonly was?: string;
};

/** The contract's own collections differ in these. */
export type ContractOptions = {
  /** Besides list and create. */
  readonly operations: readonly ContractOperation[];
  /** The name of the id in the path. */
  readonly id: string;
};
export type ContractOperation = 'fetch' | 'delete';

/** By the name of the collection, in the order in which they are shown. */
export type Declarations = Readonly<Record<string, CollectionDeclaration>>;
