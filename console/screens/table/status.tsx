/** The line under the table: which rows are seen, of how many, and whether the table is live. */
import type { ReadonlySignal, Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { countOf, grouped } from '../../api/count.ts';
import { searchOf } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { FeedLight, feedWords } from '../../parts/feed-light.tsx';
import type { List } from './rows/list.ts';
import type { LiveList } from './rows/live.ts';

/** A count may be slow on a long list, so it waits for a pause. */
const settleMs = 400;

export type StatusProps = {
  readonly list: List;
  readonly live: LiveList;
  readonly inView: ReadonlySignal<readonly [first: number, last: number]>;
  /** The number of records, as digits; empty until it is known. */
  readonly total: Signal<string>;
};

export function Status({ list, live, inView, total }: StatusProps) {
  const arrivals = live.arrivals.value;
  useEffect(() => {
    total.value = '';
  }, [list]);
  useEffect(() => {
    const ended = new AbortController();
    const filters = searchOf({ filters: list.query.filters, sort: [], fields: undefined });
    const timer = setTimeout(
      () =>
        countOf(list.collection.name, filters, ended.signal).then(
          (count) => {
            total.value = count;
          },
          () => {
            // The list itself says what is wrong.
          },
        ),
      arrivals === 0 ? 0 : settleMs,
    );
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [list, arrivals]);
  list.rows.changes.value;
  const [first, last] = inView.value;
  // Until it is asked for again, the count may be lower than the rows that are shown.
  const isCounted = total.value !== '' && Number(total.value) >= last;
  const { failure } = list.rows;
  const state = live.state.value;
  return (
    <div class="status">
      {failure === undefined ? (
        <span>
          {list.rows.known === 0 ? 'No records' : `${grouped(String(first + 1))}\u2013${grouped(String(last))}`}
          {list.rows.known > 0 && isCounted ? ` of ${grouped(total.value)}` : ''}
        </span>
      ) : (
        <span class="status-failed" role="alert">
          {failure}{' '}
          <Button kind="quiet" onPress={() => list.rows.retry()}>
            Retry
          </Button>
        </span>
      )}
      <FeedLight isOn={state === 'live'}>{feedWords[state]}</FeedLight>
    </div>
  );
}
