/** An import that ends before the end of its file. */
import { Failure, StartError } from '../../domain/errors.ts';
import type { Batch } from '../../import/cut-batches.ts';
import type { RefusedRow } from '../../import/rows.ts';
import type { Progress } from '../data/progress.ts';
import { type Target, Unreachable } from './target/import-target.ts';

/** What both kinds of import need. */
export type Run = {
  /** Reads the file from its start. */
  batches(): AsyncGenerator<Batch>;
  /** Batches that are in are added once more. */
  readonly isAgain: boolean;
  readonly target: Target;
  readonly progress: Progress;
  /** Aborted when the import is to stop. */
  readonly signal: AbortSignal;
  /** The name of the file, and of the collection with its place, for messages. */
  readonly name: string;
  readonly into: string;
  /** Repeats what failed for a reason that may pass. */
  patiently<Result>(attempt: () => Promise<Result>): Promise<Result>;
};

export type Done = { readonly line: string; readonly code: number };

/** `message` is the last line, and says what is in. `rows` are at fault, if any. */
export class Stopped extends Error {
  override readonly name = 'Stopped';

  constructor(
    message: string,
    readonly rows: readonly RefusedRow[] = [],
  ) {
    super(message);
  }
}

/** Rows are refused, or the file cannot be read on. */
export class BadRows extends Error {
  override readonly name = 'BadRows';

  constructor(readonly rows: readonly RefusedRow[]) {
    super('rows are refused');
  }
}

/** The user has stopped the import. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Throws Interrupted as soon as the signal is aborted, also while it waits for the next batch. */
export async function* unlessStopped(batches: AsyncGenerator<Batch>, signal: AbortSignal): AsyncGenerator<Batch> {
  for (;;) {
    const next = signal.aborted ? undefined : await orAborted(batches.next(), signal);
    if (next === undefined) throw new Interrupted();
    if (next.done) return;
    yield next.value;
  }
}

/** Undefined if the signal comes first. A race with one promise for all batches would keep all of them in memory. */
function orAborted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Value | undefined>();
  const stop = () => resolve(undefined);
  signal.addEventListener('abort', stop);
  value.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  return promise;
}

/** One sentence; undefined for an error that is not expected. */
export function whyOf(error: unknown): string | undefined {
  if (error instanceof Unreachable) return `${error.message}.`;
  if (error instanceof StartError) return error.message;
  if (!(error instanceof Failure)) return undefined;
  const { cause } = error;
  return cause instanceof Error ? `${error.detail.replace(/\.$/, '')} (${cause.message}).` : error.detail;
}
