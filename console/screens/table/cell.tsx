/** A value in the table: a choice is a colored tag, a boolean a mark, a list its elements, and nothing a dash. */
import { elementsOf, type JsonText } from '../../../src/exact/json-text.ts';
import { elementOf, type FieldDeclaration } from '../../api/declarations.ts';
import { unquoted } from '../../api/json.ts';
import { Icon } from '../../parts/icon.tsx';
import { Tag } from '../../parts/tag.tsx';
import { wordsOf } from '../../parts/value.tsx';

/** Characters of a cell, and elements of a list: a page of megabytes is slow. */
const mostShown = 300;
const mostElements = 30;

export function Cell({ value, field }: { readonly value: JsonText | undefined; readonly field: FieldDeclaration }) {
  if (value === undefined || value === 'null' || value === '""' || value === '[]')
    return <span class="soft">{'\u2013'}</span>;
  if (field.type === 'choice') return <Tag text={unquoted(value)} field={field} />;
  if (field.type === 'boolean')
    return (
      <span class={value === 'true' ? 'yes' : 'soft'}>
        <Icon name={value === 'true' ? 'check' : 'close'} size={15} />
        <span class="unseen">{value}</span>
      </span>
    );
  if (field.type === 'list') {
    const element = elementOf(field);
    const texts = elementsOf(value).slice(0, mostElements);
    return texts.map((one, place) => <Tag key={place} text={unquoted(one).slice(0, mostShown)} field={element} />);
  }
  const words = wordsOf(value, field);
  return words.length > mostShown ? `${words.slice(0, mostShown)}\u2026` : words;
}

/** What the pointer shows: the whole value, and of nothing, which nothing it is. */
export function hoverOf(value: JsonText | undefined, field: FieldDeclaration): string {
  if (value === undefined || value === 'null') return 'no value';
  if (value === '""') return 'an empty text';
  return value === '[]' ? 'an empty list' : wordsOf(value, field).slice(0, mostShown);
}
