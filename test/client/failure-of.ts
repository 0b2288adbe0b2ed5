import { ShelfError } from '../../src/client/index.ts';

/** The failure of a call that has to fail. */
export async function failureOf(call: Promise<unknown>): Promise<ShelfError> {
  const error = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error instanceof ShelfError) return error;
  throw new Error(`expected a ShelfError, got ${error}`);
}
