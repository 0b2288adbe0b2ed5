/** An import that ends before the end of its file. */
import { Failure, StartError } from '../../domain/errors.ts';
import type { Progress } from '../data/progress.ts';
import type { Batch, Batches, GoodRow, RefusedRow } from './batches.ts';
import { type Target, Unreachable } from './target/import-target.ts';

/** What both kinds of import need. */
export type Run = {
  readonly batches: Batches;
  /** The same once more, for --again; undefined without it. */
  readonly again: Batches | undefined;
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
    readonly rows: readonly { readonly line: number; readonly reason: string }[] = [],
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
export async function* unlessStopped(batches: Batches, signal: AbortSignal): AsyncGenerator<Batch> {
  const all = batches.all();
  for (;;) {
    const next = signal.aborted ? undefined : await orAborted(all.next(), signal);
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

/** Throws if the import cannot go on with this batch. `canRefuse`: there is a place for refused rows. */
export function requireUsable({ refused, wrong }: Batch, canRefuse: boolean): void {
  const bad = canRefuse ? [] : refused;
  if (bad.length > 0 || wrong !== undefined) throw new BadRows(wrong === undefined ? bad : [...bad, wrong]);
}

const rowFailures = ['already_exists', 'reference_missing', 'invalid_body', 'malformed_json'];

/** The rows that a bulk was refused for; none if it was refused as a whole. `rowAt` finds a row by its place, from 1. */
export function rowsAtFault(
  error: unknown,
  rowAt: (place: number) => Pick<GoodRow, 'line' | 'source'> | undefined,
): RefusedRow[] {
  if (!(error instanceof Failure) || !rowFailures.includes(error.code)) return [];
  const byPlace = Map.groupBy(error.problems ?? [], ({ line = 0 }) => line);
  return [...byPlace].flatMap(([place, problems]) => {
    const row = rowAt(place);
    if (row === undefined) return [];
    const named = problems.map((problem) => ({
      ...problem,
      // The bulk counts its own records.
      message: problem.message.replace(
        /an earlier record of the body \(number (\d+)\)/,
        (_, number: string) => `line ${rowAt(Number(number))?.line}`,
      ),
    }));
    return [{ line: row.line, source: row.source, failure: new Failure(error.code, { problems: named }) }];
  });
}

/** The records may be in, or not. */
export function isOpen(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof Failure && error.code === 'outcome_unknown');
}

/** One sentence; undefined for an error that is not expected. */
export function whyOf(error: unknown): string | undefined {
  if (error instanceof Unreachable) return `${error.message}.`;
  if (error instanceof StartError) return error.message;
  if (!(error instanceof Failure)) return undefined;
  const { cause } = error;
  return cause instanceof Error ? `${error.detail.replace(/\.$/, '')} (${cause.message}).` : error.detail;
}
