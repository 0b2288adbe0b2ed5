/** What the input of every type gets. */
import type { FieldDeclaration } from '../../../api/declarations.ts';
import type { Entry } from '../entry.ts';

export type InputProps = {
  readonly id: string;
  readonly field: FieldDeclaration;
  readonly entry: Entry;
  readonly isLocked: boolean;
  readonly isWrong: boolean;
  readonly onInput: (entry: Entry) => void;
};
