/** A record to start with: the fields that have to be there, with a value of their type. */
import { type JsonText, objectOf } from '../../../src/exact/json-text.ts';
import type { Collection, FieldDeclaration } from '../../api/declarations.ts';

export function exampleOf({ fields }: Collection): JsonText {
  const needed = Object.entries(fields).filter(
    ([, { optional, default: preset }]) => !optional && preset === undefined,
  );
  return objectOf(needed.map(([name, field]) => [name, placeholderOf(field)]));
}

const byType: Readonly<Record<string, JsonText>> = {
  integer: '1',
  number: '1.5',
  boolean: 'true',
  reference: '1',
  date: '"2026-11-15"',
  timestamp: '"2026-11-15T08:00:00Z"',
  list: '[]',
  json: '{}',
};

/** Within the bounds of most declarations; the server says what is wrong with the rest. */
function placeholderOf({ type, of, min, scale }: FieldDeclaration): JsonText {
  if (type === 'choice' && Array.isArray(of)) return JSON.stringify(of[0]);
  if (type === 'decimal') return JSON.stringify(String(min ?? (scale === 0 ? '1' : '1.5')));
  if ((type === 'integer' || type === 'number') && min !== undefined) return String(min);
  return byType[type] ?? '"..."';
}
