/** `shelf/client`: a typed client for browsers, Node 20 and later, Bun and Deno. It has no dependencies. */
export type {
  AllOptions,
  ChangesOptions,
  CollectionClient,
  CreateManyOptions,
  CreateOptions,
  FindOptions,
  ListOptions,
  Progress,
  ShelfClient,
  Target,
} from './api.ts';
export { createClient } from './client.ts';
export type { Code } from './codes.ts';
export { Digits, type Json } from './digits.ts';
export { type BulkState, type Details, type Problem, ShelfError } from './failure.ts';
export type { CallOptions, ClientOptions } from './sender.ts';
export type {
  AnyShelf,
  Change,
  CollectionTypes,
  Comparison,
  DraftOf,
  ExpandOf,
  Filter,
  Operator,
  Page,
  PatchOf,
  RecordOf,
  Resync,
  Row,
  ShelfTypes,
} from './shape.ts';
