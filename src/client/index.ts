/** `shelf-client`: a typed client for browsers, Node 20 and later, Bun and Deno. It has no dependencies. */
export type {
  AllOptions,
  ChangesOptions,
  CollectionClient,
  FindOptions,
  ListOptions,
  LiveList,
  LiveOptions,
  ShelfClient,
} from './api.ts';
export type {
  CreateManyOptions,
  KeyedDraft,
  KeyedManyOptions,
  KeyedProgress,
  KeyOf,
  Progress,
} from './bulk-api.ts';
export { createClient } from './client.ts';
export type { Code } from './send/codes.ts';
export { type BulkState, type Details, type Problem, ShelfError } from './send/failure.ts';
export type { CallOptions, ClientOptions, CreateOptions } from './send/sender.ts';
export type {
  AnyShelf,
  Change,
  CollectionTypes,
  Comparison,
  DraftOf,
  ExpandOf,
  Filter,
  Operator,
  OwnWhereOf,
  Page,
  PatchOf,
  RecordOf,
  Resync,
  Row,
  ShelfTypes,
  WhereOf,
} from './shape.ts';
export type { GroupOf, HavingOf, MeasureOf, Summary, SummaryOptions, SummaryRow } from './summary-api.ts';
export type { Target } from './target.ts';
export type {
  AmountsOf,
  CollectionOperations,
  CommittedChanges,
  Conditions,
  CountBounds,
  CountCondition,
  CreatedRecord,
  Operations,
  OperationTarget,
  Pending,
  PendingCount,
  PendingRecord,
  Settled,
  TransactionOptions,
} from './transaction-api.ts';
export { Digits, type Json } from './values/digits.ts';
