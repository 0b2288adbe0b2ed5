/** Numbers of a database from elsewhere: the one that it is moved to has to go on from them. */
import { StartError } from '../../domain/errors.ts';
import { highestNumber, isNumber } from '../../domain/feed/feed-history.ts';
import type { Stored } from '../../domain/record/record.ts';
import { beforeOf, changeColumns, largestTransaction } from '../rows/change.ts';
import { beforeProblem } from '../rows/change-before.ts';
import type { Outline, OwnTable, TableRow } from './contents.ts';

const isRight = (value: number, last = highestNumber) => value === 0 || (isNumber(value) && value <= last);

const problem = (what: string, value: number, last = highestNumber) =>
  `${what} is ${value}, which Shelf cannot have given out (the highest is ${last})`;

/** What is wrong, one line each. */
export function outlineProblems({ parts, changes, trimmed, gaps }: Outline): string[] {
  const numbers = [
    ...parts.map(({ collection, last }) => [`the last id of ${collection.name}`, last] as const),
    ['the number of the last change', changes.last] as const,
    ['the number of the last trimmed change', trimmed] as const,
    ...gaps.map(([, next]) => ['the end of a gap in the history', next] as const),
  ];
  return numbers.filter(([, value]) => !isRight(value)).map(([what, value]) => problem(what, value));
}

/** Throws a StartError with the first problem. */
export function requireOutline(outline: Outline): void {
  const [first] = outlineProblems(outline);
  if (first !== undefined) throw refused(first);
}

/** `last` is the last id that was given out: one beyond it would be given out again. Throws a StartError. */
export function requireRecords(name: string, last: number | undefined, records: readonly Stored[]): void {
  for (const { recordId, version } of records) {
    if (!isRight(recordId, last)) throw refused(problem(`an id of ${name}`, recordId, last));
    if (!isRight(version)) throw refused(problem(`the version of ${name} ${recordId}`, version));
  }
}

/** `lastChange` is the number of the last change. Throws a StartError. */
export function requireRows({ name }: OwnTable, lastChange: number, rows: readonly TableRow[]): void {
  if (name === 'changes') for (const row of rows) requireChange(lastChange, row);
  if (name === 'idempotency_keys')
    for (const [, , , , recordId] of rows)
      if (!isRight(Number(recordId))) throw refused(problem('the id under an idempotency key', Number(recordId)));
}

const [firstAt, sizeAt] = [changeColumns.indexOf('transaction_first'), changeColumns.indexOf('transaction_size')];

function requireChange(last: number, row: TableRow): void {
  const [changeNumber, , type, recordId, version] = row;
  if (!isRight(Number(changeNumber), last))
    throw refused(problem('the number of a change', Number(changeNumber), last));
  if (!isRight(Number(recordId))) throw refused(problem(`the id in change ${changeNumber}`, Number(recordId)));
  if (!isRight(Number(version))) throw refused(problem(`the version in change ${changeNumber}`, Number(version)));
  requireTransaction(last, Number(changeNumber), row[firstAt] ?? null, row[sizeAt] ?? null);
  const wrong = beforeProblem(String(type), Number(version), beforeOf(row) ?? null);
  if (wrong !== undefined) throw refused(`change ${changeNumber} ${wrong}`);
}

/** A transaction has at least two changes, and they were all committed. */
function requireTransaction(last: number, changeNumber: number, first: TableRow[0], size: TableRow[0]): void {
  if (first === null && size === null) return;
  const [from, count] = [Number(first), Number(size)];
  const isWhole = isNumber(from) && isNumber(count) && count >= 2 && count <= largestTransaction;
  if (isWhole && from <= changeNumber && changeNumber < from + count && from + count - 1 <= last) return;
  throw refused(
    `change ${changeNumber} is of a transaction of ${size} changes from ${first} on, which is not possible`,
  );
}

function refused(what: string): StartError {
  return new StartError(`Wrong numbers: ${what}. Nothing was copied; correct that at the source.`);
}
