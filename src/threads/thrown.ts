/** An error as data, to be thrown again on another thread: a Failure keeps its code, and a StartError its line. */
import { Failure, type FailureCode, type Specifics, StartError } from '../domain/errors.ts';

type ErrorCopy = { readonly message: string; readonly stack: string | undefined };
export type Thrown =
  | {
      readonly kind: 'failure';
      readonly code: FailureCode;
      readonly specifics: Omit<Specifics, 'cause'>;
      readonly cause: ErrorCopy | undefined;
    }
  | { readonly kind: 'start'; readonly message: string }
  | { readonly kind: 'other'; readonly error: ErrorCopy };

export function thrownBy(error: unknown): Thrown {
  if (error instanceof Failure) {
    const { code, detail, problems, headers, members, retryAfter, cause } = error;
    const specifics = {
      detail,
      ...(problems === undefined ? undefined : { problems }),
      ...(headers === undefined ? undefined : { headers }),
      ...(members === undefined ? undefined : { members }),
      ...(retryAfter === undefined ? undefined : { retryAfter }),
    };
    return { kind: 'failure', code, specifics, cause: cause === undefined ? undefined : copyOf(cause) };
  }
  if (error instanceof StartError) return { kind: 'start', message: error.message };
  return { kind: 'other', error: copyOf(error) };
}

export function errorOf(thrown: Thrown): Error {
  if (thrown.kind === 'start') return new StartError(thrown.message);
  if (thrown.kind === 'other') return errorFrom(thrown.error);
  const { code, specifics, cause } = thrown;
  return new Failure(code, cause === undefined ? specifics : { ...specifics, cause: errorFrom(cause) });
}

function copyOf(error: unknown): ErrorCopy {
  return error instanceof Error
    ? { message: error.message, stack: error.stack }
    : { message: String(error), stack: undefined };
}

/** Its stack is that of the other thread, where it was thrown. */
function errorFrom({ message, stack }: ErrorCopy): Error {
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
