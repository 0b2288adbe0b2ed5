/** The rows of a summary, with every digit. */
import { elementsOf, type JsonText } from '../../../src/exact/json-text.ts';
import type { Collection } from '../../api/declarations.ts';
import { members } from '../../api/json.ts';
import { send } from '../../api/request.ts';
import { type SummaryQuery, summarySearchOf } from '../../query/summary-query.ts';

/** Groups and measures by their names. */
export type SummaryRow = ReadonlyMap<string, JsonText>;

export type Rows = {
  readonly rows: readonly SummaryRow[];
  /** How many there are without the limit, as digits. */
  readonly groups: string;
};

/** A person reads no more at first. */
const fewRows = 100;
/** More of them would make the page slow. */
export const mostRows = 1000;

/** The query with the limit that is sent. */
export function limited(query: SummaryQuery): SummaryQuery {
  return { ...query, limit: query.limit ?? String(fewRows) };
}

export function summaryPath({ name }: Collection, query: SummaryQuery): string {
  return `/api/v2/${name}/summary?${summarySearchOf(limited(query))}`;
}

export async function readRows(path: string, signal: AbortSignal): Promise<Rows> {
  const answer = members(await send({ path, signal }));
  return { rows: elementsOf(answer.get('data') ?? '[]').map(members), groups: answer.get('groups') ?? '' };
}
