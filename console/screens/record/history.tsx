/** Who changed what, and when. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { columnsOf } from '../../api/columns.ts';
import type { Collection } from '../../api/declarations.ts';
import type { Change } from '../../api/feed.ts';
import type { Row } from '../../api/pages.ts';
import { messageOf } from '../../api/problem.ts';
import { Button } from '../../parts/button.tsx';
import { Moment } from '../../parts/values/moment.tsx';
import { Value } from '../../parts/values/value.tsx';
import { feedSource } from './feed-source.ts';
import { HistorySearch } from './history-search.ts';
import { valuesBefore } from './values-before.ts';

export type HistoryProps = { readonly collection: Collection; readonly id: string; readonly row: Row };

export function History({ collection, id, row }: HistoryProps) {
  const search = useMemo(() => new HistorySearch(feedSource(collection.name), id), [collection, id, row.version]);
  const state = useSignal<'searching' | 'resting' | string>('searching');
  const rounds = useSignal(0);
  useEffect(() => {
    const ended = new AbortController();
    state.value = 'searching';
    search.continue(ended.signal).then(
      () => {
        state.value = 'resting';
      },
      (error) => {
        if (!ended.signal.aborted) state.value = messageOf(error);
      },
    );
    return () => ended.abort();
  }, [search, rounds.value]);
  const isResting = state.value === 'resting';
  return (
    <section id="drawer-panel" class="drawer-body history" aria-label="History">
      <ol>
        {search.changes.map((change, place) => (
          <Step key={change.seq} collection={collection} change={change} earlier={search.changes[place + 1]} />
        ))}
      </ol>
      {state.value === 'searching' ? <p class="soft">Searching the changes {'\u2026'}</p> : null}
      {isResting && search.isComplete && search.changes.at(-1)?.type.endsWith('.created') !== true ? (
        <p class="soft">Older changes are no longer kept.</p>
      ) : null}
      {isResting && !search.isComplete ? (
        <>
          <p class="soft">
            {search.changes.length === 0
              ? 'The newest changes of the collection are not about this record.'
              : 'There may be older changes.'}
          </p>
          <Button onPress={() => rounds.value++}>Search further back</Button>
        </>
      ) : null}
      {isResting || state.value === 'searching' ? null : (
        <p role="alert">
          {state.value} <Button onPress={() => rounds.value++}>Retry</Button>
        </p>
      )}
    </section>
  );
}

type StepProps = {
  readonly collection: Collection;
  readonly change: Change;
  /** The change before it, if it is known. */
  readonly earlier: Change | undefined;
};

function Step({ collection, change, earlier }: StepProps) {
  const { type, at, by, traceId, record } = change;
  const kind = type.slice(type.lastIndexOf('.') + 1);
  const before = valuesBefore(change, earlier);
  const changed = columnsOf(collection).filter(({ isOwn, name }) => !isOwn && record.has(name) && before?.has(name));
  return (
    <li>
      <p>
        <b>{kind}</b> <Moment at={at} />
        {by === null ? '' : ` by ${by}`}
        <span class="soft"> version {record.get('version')}</span>
        {traceId === undefined ? null : <span class="soft"> trace {traceId}</span>}
      </p>
      {kind === 'updated' && before === undefined ? <p class="soft">The version before it is not known.</p> : null}
      {kind === 'updated' && changed.length > 0 ? (
        <dl class="diff">
          {changed.map(({ name, field }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <del>
                  <Value value={before?.get(name)} field={field} isCompared />
                </del>{' '}
                {'\u2192'}{' '}
                <ins>
                  <Value value={record.get(name)} field={field} isCompared />
                </ins>
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
    </li>
  );
}
