/** A value wherever it is shown: one form for each type. Markup in it is only text. */
import { elementsOf, type JsonText } from '../../../src/exact/json-text.ts';
import { elementOf, type FieldDeclaration } from '../../api/declarations.ts';
import { unquoted } from '../../api/json.ts';
import { Icon } from '../icon.tsx';
import { timeText } from './moment-text.ts';
import { Title } from './reference.tsx';
import { Tag } from './tag.tsx';
import './value.css';

/** Elements of a list: a page of megabytes is slow. */
const mostElements = 30;

/** Numbers keep their digits, and a time its milliseconds. Times are in UTC. */
export function wordsOf(value: JsonText | undefined, field: FieldDeclaration): string {
  if (value === undefined || value === 'null') return '';
  if (field.type === 'json') return value;
  if (field.type === 'list') return elementsOf(value).map(unquoted).join(', ');
  return field.type === 'timestamp' ? timeText(unquoted(value)) : unquoted(value);
}

export type ValueProps = {
  readonly value: JsonText | undefined;
  readonly field: FieldDeclaration;
  /** Longer texts are cut: a cell shows no more, and a page of megabytes is slow. */
  readonly most?: number;
  /** Beside another value: says which nothing it is, too. */
  readonly isCompared?: boolean;
};

export function Value({ value, field, most = Number.POSITIVE_INFINITY, isCompared = false }: ValueProps) {
  const nothing = nothingOf(value);
  if (value === undefined || nothing !== undefined)
    return (
      <span class="soft" title={nothing}>
        {'\u2013'}
        {isCompared && value !== undefined && value !== 'null' ? ` (${nothing})` : null}
      </span>
    );
  const cut = (text: string) => (text.length > most ? `${text.slice(0, most)}\u2026` : text);
  switch (field.type) {
    case 'reference':
      return <Title to={field.to} id={value} />;
    case 'choice':
      return <Tag text={unquoted(value)} field={field} />;
    case 'boolean':
      return (
        <span class={value === 'true' ? 'mark yes' : 'mark soft'}>
          <Icon name={value === 'true' ? 'check' : 'close'} size={15} />
          <span class="unseen">{value}</span>
        </span>
      );
    case 'list': {
      const element = elementOf(field);
      const texts = elementsOf(value).slice(0, mostElements);
      return texts.map((one, place) => <Tag key={place} text={cut(wordsOf(one, element))} field={element} />);
    }
    default:
      return cut(wordsOf(value, field));
  }
}

/** What the pointer shows: the whole value, and of nothing, which nothing it is. */
export function hoverOf(value: JsonText | undefined, field: FieldDeclaration, most: number): string {
  return nothingOf(value) ?? wordsOf(value, field).slice(0, most);
}

function nothingOf(value: JsonText | undefined): string | undefined {
  if (value === undefined || value === 'null') return 'no value';
  if (value === '""') return 'an empty text';
  return value === '[]' ? 'an empty list' : undefined;
}
