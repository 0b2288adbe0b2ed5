/** A short value among others, such as an element of a list. Those of a choice have colors, by their place in the declaration. */
import type { FieldDeclaration } from '../../api/declarations.ts';
import './tag.css';

const colors = 8;

export function Tag({ text, field: { type, of } }: { readonly text: string; readonly field: FieldDeclaration }) {
  const place = type === 'choice' && Array.isArray(of) ? of.indexOf(text) : -1;
  return <span class={place < 0 ? 'tag' : `tag color-${place % colors}`}>{text}</span>;
}
