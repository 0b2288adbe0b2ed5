/** JSON in one line with a space where a person would put one, as in the examples of the documentation. */
import { elementsOf, type JsonText, kindOf, membersOf } from '../../../src/exact/json-text.ts';

export function inlined(json: JsonText): JsonText {
  const kind = kindOf(json);
  if (kind === 'array') return `[${elementsOf(json).map(inlined).join(', ')}]`;
  if (kind !== 'object') return json.trim();
  const members = [...membersOf(json)].map(([name, value]) => `${JSON.stringify(name)}: ${inlined(value)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
