/** `"count":{"lt":5}`: what the number of records must be. */
import { namesIn } from '../input/names-in.ts';
import { similar } from '../input/suggest.ts';
import { type CountBounds, countOperators } from '../store/operation.ts';
import type { SentOperation } from './sent-operation.ts';

export function readCount(sent: SentOperation): CountBounds | undefined {
  const json = sent.object('count');
  if (json === undefined) return undefined;
  const names = namesIn(json.value as object, (name) => countOperators.some((one) => one === name));
  if (names.length === 0) return sent.mistake(['count'], `must have at least one of ${countOperators.join(', ')}`);
  const bounds: Partial<Record<(typeof countOperators)[number], number>> = {};
  for (const name of names) {
    const operator = countOperators.find((one) => one === name);
    const at = ['count', name];
    if (operator === undefined) {
      sent.mistake(
        at,
        `is no operator of a count${similar(name, countOperators) ?? `: it has ${countOperators.join(', ')}`}`,
      );
      continue;
    }
    const bound = sent.whole(json, name, 0, at, 'a whole number, 0 or more');
    if (bound !== undefined) bounds[operator] = bound;
  }
  return bounds;
}
