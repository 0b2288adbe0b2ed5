/**
 * Equivalent mutants: the changed code behaves the same, so no test can kill them. Each has its reason. Lines are matched
 * by their trimmed text, because line numbers change.
 */
export type Equivalent = { readonly file: string; readonly was: string; readonly is: string; readonly why: string };

export const equivalents: readonly Equivalent[] = [];
