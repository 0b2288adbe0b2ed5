/** The problems of a bulk, each with its line. */
import { Failure, type Problem } from '../../domain/errors.ts';
import type { LineNumbers } from '../../domain/input/line-numbers.ts';

/** Parsing continues up to this number of problems, so that a client can fix several at a time. */
const maxProblems = 100;

/** The problems of all lines. */
export class LineProblems {
  /** `nothing` begins the detail, as in "Nothing was added." */
  constructor(readonly nothing: string) {}

  readonly #problems: Problem[] = [];
  #first: { readonly line: number; readonly failure: Failure } | undefined;

  get none(): boolean {
    return this.#first === undefined;
  }

  get full(): boolean {
    return this.#problems.length >= maxProblems;
  }

  add(line: number, failure: Failure): void {
    this.#first ??= { line, failure };
    const room = maxProblems - this.#problems.length;
    for (const problem of (failure.problems ?? []).slice(0, room)) this.#problems.push({ ...problem, line });
  }

  throwIfAny(): void {
    if (this.#first === undefined) return;
    const { line, failure } = this.#first;
    const detail = `${this.nothing} Line ${line}: ${failure.detail}`;
    throw new Failure(failure.code, { detail, problems: this.#problems });
  }
}

/** The store counts records; the client counts lines. */
export function withLines(error: unknown, lines: LineNumbers, nothing: string): unknown {
  if (!(error instanceof Failure) || error.problems === undefined) return error;
  const problems = error.problems.map((problem) =>
    problem.line === undefined ? problem : { ...problem, line: lines.lineOf(problem.line) },
  );
  const [first] = problems;
  const detail = `${nothing} ${first?.line === undefined ? '' : `Line ${first.line}: `}${error.detail}`;
  return new Failure(error.code, {
    detail,
    problems,
    ...(error.members === undefined ? {} : { members: error.members }),
  });
}
