/** The problems of a bulk, each with its line. */
import { Failure, type Problem } from '../../domain/errors.ts';

/** Parsing continues up to this number of problems, so that a client can fix several at a time. */
const maxProblems = 100;

/** The problems of all lines. */
export class LineProblems {
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
    const detail = `Nothing was added. Line ${line}: ${failure.detail}`;
    throw new Failure(failure.code, { detail, problems: this.#problems });
  }
}

/** The line of each record: blank lines have none, and a row of CSV can have several. */
export class LineNumbers {
  /** Where the distance between line and record changes: the number of a record, and its line, by turns. */
  #starts = new Float64Array(16);
  #length = 0;
  #records = 0;
  #distance = 0;

  add(line: number): void {
    this.#records++;
    if (line - this.#records === this.#distance) return;
    this.#distance = line - this.#records;
    if (this.#length === this.#starts.length) {
      const longer = new Float64Array(this.#length * 2);
      longer.set(this.#starts);
      this.#starts = longer;
    }
    this.#starts[this.#length++] = this.#records;
    this.#starts[this.#length++] = line;
  }

  #lineOf(record: number): number {
    for (let at = this.#length - 2; at >= 0; at -= 2) {
      const [start = 0, line = 0] = this.#starts.subarray(at, at + 2);
      if (start <= record) return line + record - start;
    }
    return record;
  }

  /** The store counts records; the client counts lines. */
  translate(error: unknown): unknown {
    if (!(error instanceof Failure) || error.problems === undefined) return error;
    const problems = error.problems.map((problem) =>
      problem.line === undefined ? problem : { ...problem, line: this.#lineOf(problem.line) },
    );
    const [first] = problems;
    const detail = `Nothing was added. ${first?.line === undefined ? '' : `Line ${first.line}: `}${error.detail}`;
    return new Failure(error.code, {
      detail,
      problems,
      ...(error.members === undefined ? {} : { members: error.members }),
    });
  }
}
