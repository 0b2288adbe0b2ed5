/** What the failure of a target means for an import. */
import { type RefusedRow, type Row, type RowProblem, reasonOf } from './rows.ts';

/** `line` is the place of the record among those that were sent, from 1, and `earlierRecord` that of another one with the same unique value. */
export type SentProblem = RowProblem & { readonly line?: number; readonly earlierRecord?: number };

export type TargetFailure = {
  readonly code: string;
  /** Of HTTP; 0 if Shelf did not answer. */
  readonly status: number;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
  readonly problems?: readonly SentProblem[] | undefined;
};

/** Undefined for an error that is not expected. */
export type FailureOf = (error: unknown) => TargetFailure | undefined;

/** No answer, too many requests, or a server that is not ready. The key of a batch makes every attempt safe. */
export function mayPass({ status }: TargetFailure): boolean {
  return [0, 408, 429, 502, 503, 504].includes(status);
}

/** The records may be in, or not. */
export function mayBeIn(failure: TargetFailure | undefined): boolean {
  return failure !== undefined && ([0, 502, 504].includes(failure.status) || failure.code === 'outcome_unknown');
}

const rowFailures = ['already_exists', 'reference_missing', 'invalid_body', 'malformed_json'];

/** The rows that are refused; none if all are refused together. `rowAt` finds a row by its place, from 1. */
export function rowsAtFault(
  failure: TargetFailure | undefined,
  rowAt: (place: number) => Row | undefined,
): RefusedRow[] {
  if (failure === undefined || !rowFailures.includes(failure.code)) return [];
  return [...Map.groupBy(failure.problems ?? [], ({ line = 0 }) => line)].flatMap(([place, ofRow]) => {
    const row = rowAt(place);
    if (row === undefined) return [];
    // The target counts records; a person counts lines of the file.
    const lineOf = ({ earlierRecord }: SentProblem) => (earlierRecord === undefined ? 0 : rowAt(earlierRecord)?.line);
    const named = [...Map.groupBy(ofRow, lineOf)].flatMap(([line, some]) => (line ? [equalTo(line, some)] : some));
    return [{ line: row.line, source: row.source, reason: reasonOf(named) }];
  });
}

/** The fields of a rule have one problem each. */
function equalTo(line: number, problems: readonly SentProblem[]): RowProblem {
  const fields = [...new Set(problems.map(({ field }) => field))];
  const values = fields.length === 1 ? 'this value' : 'these values';
  return { field: fields.join(' and '), message: `must be unique; line ${line} has ${values}` };
}
