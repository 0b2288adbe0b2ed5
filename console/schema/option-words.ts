/** The options of a field in words, for a line of a table. */

import { elementsOf, type JsonText } from '../../src/exact/json-text.ts';
import { unquoted } from '../api/json.ts';
import { boundsText } from '../parts/values/bounds-text.ts';
import { deletionWords } from './field-types.ts';
import { elementOf } from './file/field-edits.ts';
import type { FileField } from './file/model.ts';
import { typedOf } from './option-text.ts';

const units: Readonly<Record<string, string>> = { text: ' characters', list: ' elements', json: ' bytes' };
const ofDefault = { name: 'default', label: '', hint: '', input: 'value' } as const;

function elementWords(of: JsonText): string {
  const element = elementOf(of);
  const words = optionWords(element);
  return `of ${element.type}${words === '' ? '' : ` (${words})`}`;
}

export function optionWords({ type, options }: Omit<FileField, 'name'>): string {
  const has = (name: string) => options.get(name) === 'true';
  const text = (name: string) => (options.has(name) ? unquoted(options.get(name) ?? '') : undefined);
  const [min, max, scale, pattern, to] = ['min', 'max', 'scale', 'pattern', 'to'].map(text);
  const unit = units[type] ?? '';
  const of = options.get('of');
  const deletion = type === 'reference' ? (deletionWords[text('on_delete') ?? 'restrict'] ?? '') : '';
  const preset = options.get('default');
  return [
    has('optional') ? 'optional' : undefined,
    has('unique') ? 'unique' : undefined,
    to === undefined ? undefined : `a record of ${to}; if it is deleted, ${deletion}`,
    type === 'choice' && of !== undefined && of !== '[]'
      ? `one of ${elementsOf(of).map(unquoted).join(', ')}`
      : undefined,
    type === 'list' && of !== undefined ? elementWords(of) : undefined,
    scale === undefined ? undefined : `${scale} places`,
    boundsText(min, max, unit),
    pattern === undefined ? undefined : `matches ${pattern}`,
    preset === undefined ? undefined : `default ${typedOf(ofDefault, type, preset)}`,
    has('search') ? 'words searched' : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}
