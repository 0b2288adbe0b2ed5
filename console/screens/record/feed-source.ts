/** The change feed of one collection, for the search of a history. */
import { elementsOf } from '../../../src/exact/json-text.ts';
import { changeOf, changesOf } from '../../api/feed.ts';
import { members } from '../../api/json.ts';
import { ShelfError } from '../../api/problem.ts';
import { send } from '../../api/request.ts';
import type { FeedSource } from './history-search.ts';

const pageSize = 1000;

export function feedSource(collection: string): FeedSource {
  return {
    /** The live feed begins with its position. */
    async latest(signal) {
      for await (const { seq } of changesOf({ collection, signal })) return Number(seq);
      return 0;
    },

    async read(after, signal) {
      const path = `/api/v2/changes?collection=${collection}&after=${after}&limit=${pageSize}`;
      try {
        const page = members(await send({ path, signal }));
        return { changes: elementsOf(page.get('data') ?? '[]').map(changeOf), last: Number(page.get('last') ?? after) };
      } catch (error) {
        // The server names the start of its history.
        const start =
          error instanceof ShelfError && error.status === 410 ? /after=(\d+)/.exec(error.message)?.[1] : undefined;
        if (start === undefined) throw error;
        return { startsAfter: Number(start) };
      }
    },
  };
}
