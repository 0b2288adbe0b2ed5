/** Records as PostgreSQL writes them as JSON. */
import type { Collection } from '../../../domain/record/collection.ts';
import { membersOf, objectOf } from '../../../exact/json-text.ts';

/** The same record with every value spelled as in all other answers. */
export function respelled({ fields }: Collection, json: string): string {
  // Only a number with an exponent is spelled differently. Until 0.3.0 deletions were recorded with spaces.
  if (!/\d[eE]/.test(json) && !json.startsWith('{"id" ')) return json;
  const members = [...membersOf(json)].map(([key, text]) => {
    const respell = text === 'null' ? undefined : fields[key]?.postgres.respell;
    return [key, respell?.(text) ?? text] as const;
  });
  return objectOf(members);
}
