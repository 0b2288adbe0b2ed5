/** What an update changed. */
import type { Change } from '../../api/feed.ts';
import type { Values } from './draft.ts';

/** Its fields as they were before; undefined if that is not known. `earlier` is the change of the record before this one, if it is known. */
export function valuesBefore({ record, before }: Change, earlier: Change | undefined): Values | undefined {
  if (before !== undefined || earlier === undefined) return before;
  const old = [...record].map(([name]) => [name, earlier.record.get(name) ?? 'null'] as const);
  return new Map(old.filter(([name, value]) => value !== record.get(name)));
}
