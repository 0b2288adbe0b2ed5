import type { Bytes } from '../bytes.ts';
import type { Client } from './client.ts';

/** A snapshot of a whole collection as a JSON array. The same object until the collection changes. */
export type Listing = {
  /** Differs between any two lists that differ; undefined if the engine cannot determine it. */
  readonly tag: string | undefined;
  /** Bytes in total; undefined if unknown before they are read. */
  readonly size: number | undefined;
  /**
   * A new iterator at each call, for the reader `client`. A reader that stops early must call its `return`. Undefined if the list has
   * changed since: there is another `Listing` then.
   */
  parts(client: Client): AsyncIterator<Bytes> | Iterator<Bytes> | undefined;
};
