/** What is selected: the rows that were chosen, or all that the filters match, which are read in steps. */
import { type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { grouped } from '../../api/count.ts';
import type { Row } from '../../api/pages.ts';
import { messageOf } from '../../api/problem.ts';
import { Button } from '../../parts/button.tsx';
import { notify } from '../../state/notices.ts';
import type { List } from './rows/list.ts';

export type SelectionProps = {
  readonly list: List;
  readonly selected: Signal<ReadonlyMap<string, Row>>;
  /** Those that are not to be deleted already. */
  readonly count: number;
  /** Of the list, as digits; empty until it is known. */
  readonly total: ReadonlySignal<string>;
};

export function Selection({ list, selected, count, total }: SelectionProps) {
  /** The records that were read; undefined if none are being read. */
  const progress = useSignal<number | undefined>(undefined);
  const reading = useRef<AbortController | undefined>(undefined);
  const stop = () => reading.current?.abort();
  useEffect(() => stop, [list]);

  async function selectAll(): Promise<void> {
    const ended = new AbortController();
    reading.current = ended;
    const rows = new Map<string, Row>();
    progress.value = 0;
    try {
      for await (const some of list.everything(ended.signal)) {
        for (const row of some) rows.set(row.id, row);
        progress.value = rows.size;
      }
      selected.value = rows;
    } catch (error) {
      if (!ended.signal.aborted) notify({ kind: 'bad', text: messageOf(error) });
    }
    progress.value = undefined;
  }

  const all = Number(total.value);
  const areLoadedSelected = [...list.rows.loaded()].every(({ id }) => selected.value.has(id));
  if (progress.value !== undefined)
    return (
      <>
        <span class="soft" role="status">
          Selecting {grouped(String(progress.value))} of {grouped(total.value)} {'\u2026'}
        </span>
        <Button kind="quiet" onPress={stop}>
          Stop
        </Button>
      </>
    );
  return (
    <>
      <span class="soft">
        {grouped(String(count))} selected
        {areLoadedSelected && all > count ? ': all that are loaded' : ''}
      </span>
      {areLoadedSelected && all > count ? (
        <Button kind="quiet" onPress={selectAll}>
          Select all {grouped(total.value)}
        </Button>
      ) : null}
    </>
  );
}
