/** Records that are read from text as it arrives, each with its place. */
import type { Failure } from '../errors.ts';

/** A record, encoded as it is stored or as a keyed text, and what was sent for it, if that is kept; or why there is none. After a failure that `isFinal` nothing more is read. */
export type Entry = {
  /** Where it begins, counted from 1. */
  readonly line: number;
  /** The text as it was sent, without its line end; empty if it cannot be told. */
  readonly source: string;
} & (
  | { readonly json: string; readonly sent?: string }
  /** `isHeader`: the header of CSV names other fields. */
  | { readonly failure: Failure; readonly isFinal: boolean; readonly isHeader?: boolean }
);

export type EntryReader = {
  /** The entries that are complete with these bytes, in order. */
  push(bytes: Uint8Array): Entry[];
  /** The last entries. */
  end(): Entry[];
};
