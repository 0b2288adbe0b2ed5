/** Encoded records in which the ids of created records are still open. */
import { membersOf } from '../../exact/json-text.ts';
import type { RecordPieces } from '../store/operation.ts';

/** `created` has the operations by the fields that refer to what they create. */
export function piecesOf(encoded: string, created: ReadonlyMap<string, number>): RecordPieces {
  if (created.size === 0) return [encoded];
  const pieces: (string | number)[] = [];
  let text = '{';
  let separator = '';
  for (const [name, value] of membersOf(encoded)) {
    text += `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    const operation = created.get(name);
    if (operation === undefined) text += value;
    else {
      pieces.push(text, operation);
      text = '';
    }
  }
  return [...pieces, `${text}}`];
}
