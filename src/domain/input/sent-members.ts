/**
 * What a request said about a record, as one text. It does not depend on the declaration, which may change between a request and its
 * retry: a member that was not sent has no part in it, and neither has the order of fields.
 */

import { compact } from '../../exact/json-text.ts';
import { spelled } from '../../exact/numeral.ts';
import type { Members } from '../record/row.ts';
import { type Json, mayLoseDigits } from './json.ts';

/** `sentMembers` needs the text of every member. */
export function withTexts({ keys }: Members): Members {
  return { keys, texts: keys };
}

/** For an object. White space, the order of members and `1.0` for `1` make no difference. In `texts`, `1` and `"1"` are two values. */
export function sentMembers(json: Json, texts: readonly string[]): string {
  const names = Object.keys(json.value as object).sort();
  const sentIn = (name: string) => {
    const text = json.text(name);
    if (text === undefined) throw new Error(`the text of ${name} was not kept`);
    return texts.includes(name) && text !== 'null' ? compact(text) : sentValue(text);
  };
  return JSON.stringify(names.map((name) => [name, sentIn(name)]));
}

/**
 * For a row of CSV. The same text as for the record in JSON, if both are as an export writes them. An empty cell is a null that was sent, as it is for an optional
 * field: a member that is left out gets the default of its field instead.
 */
export function sentCells(names: readonly string[]): (cells: readonly (string | null)[]) => string {
  const sorted = [...names.entries()].sort(([, one], [, other]) => (one < other ? -1 : 1));
  return (cells) => JSON.stringify(sorted.map(([at, name]) => [name, cells[at] ?? null]));
}

/** Without quotes, as CSV has it. */
function sentValue(text: string): string | null {
  if (text === 'null') return null;
  if (text.startsWith('"')) return JSON.parse(text) as string;
  if (!/^[-\d]/.test(text)) return compact(text);
  if (mayLoseDigits(text)) return text;
  return spelled(Number(text));
}
