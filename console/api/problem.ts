/** A failure, as the server describes it (RFC 9457), or as the network does. */
import { plain } from './json.ts';

export type FieldProblem = {
  readonly field: string;
  readonly detail: string;
  readonly line?: number;
  readonly earlier_record?: number;
};

export class Problem extends Error {
  override readonly name = 'Problem';

  constructor(
    /** 0 if there was no answer. */
    readonly status: number,
    readonly code: string,
    detail: string,
    /** Empty for a problem with the whole body. */
    readonly problems: readonly FieldProblem[] = [],
  ) {
    super(detail);
  }
}

export const noAnswer = () =>
  new Problem(0, 'no_answer', 'The server does not answer. Check that it runs, then retry.');

export function problemOf(status: number, text: string): Problem {
  try {
    const { type = '', detail, title, errors = [] } = plain(text) as ProblemBody;
    const problems = errors.map((error) => ({ ...error, field: fieldOf(error.pointer) }));
    return new Problem(status, type.replace('/problems/', '').replaceAll('-', '_'), detail ?? title ?? '', problems);
  } catch {
    // A proxy in front answers with a page of its own.
    return new Problem(status, 'unknown', `The server answered with status ${status}.`);
  }
}

type ProblemBody = {
  readonly type?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly errors?: readonly (Omit<FieldProblem, 'field'> & { readonly pointer: string })[];
};

/** The field that a JSON pointer in a URI fragment names. */
function fieldOf(pointer: string): string {
  return decodeURIComponent(pointer.replace(/^#\/?/, '')).replaceAll('~1', '/').replaceAll('~0', '~');
}

/** What to tell a person about anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
