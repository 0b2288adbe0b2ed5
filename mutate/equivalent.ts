/**
 * Mutants that no test can notice, because what they change cannot be seen from outside, each with its reason. A line is
 * named by its text, trimmed, so that it is found again when the code around it moves.
 */
export type Equivalent = { readonly file: string; readonly was: string; readonly is: string; readonly why: string };

export const equivalents: readonly Equivalent[] = [];
