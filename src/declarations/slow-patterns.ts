/** Patterns that take very long for some texts: a database of an earlier release can have them, and no new one gets them. */
import type { Declarations } from '../domain/record/declaration.ts';
import { types } from '../domain/types/all-types.ts';

export type SlowPattern = {
  readonly collection: string;
  readonly field: string;
  /** To the pattern, in the declarations. */
  readonly path: string;
  /** Follows "the pattern". */
  readonly why: string;
};

export function slowPatterns(declarations: Declarations): SlowPattern[] {
  return Object.entries(declarations).flatMap(([collection, { fields }]) =>
    Object.entries(fields).flatMap(([field, declared]) => {
      const why = types[declared.type]?.slowPattern?.(declared)?.why;
      if (why === undefined) return [];
      const option = declared.pattern === undefined ? 'of.pattern' : 'pattern';
      return [{ collection, field, path: `${collection}.fields.${field}.${option}`, why }];
    }),
  );
}
