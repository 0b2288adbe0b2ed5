/** A value in a table or a diff, as text: markup in it is only text, too. */
import { elementsOf, type JsonText } from '../../src/exact/json-text.ts';
import type { FieldDeclaration } from '../api/declarations.ts';
import { unquoted } from '../api/json.ts';
import { timeText } from './moment-text.ts';
import { Title } from './reference.tsx';

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
};

export function Value({ value, field, most = Number.POSITIVE_INFINITY }: ValueProps) {
  if (value === undefined || value === 'null') return <span class="soft">{'\u2013'}</span>;
  if (field.type === 'reference') return <Title to={field.to} id={value} />;
  const words = wordsOf(value, field);
  if (words === '') return <span class="soft">empty</span>;
  return words.length > most ? `${words.slice(0, most)}\u2026` : words;
}
