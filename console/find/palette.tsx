/** One box to find everything: collections, screens, actions, views, and records by title, words or id. */
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { address } from '../state/address.ts';
import type { OpenSession } from '../state/session.ts';
import { type Entry, entriesOf, matching } from './entries.ts';
import './find.css';
import { recordEntries } from './records.ts';

const pauseMs = 150;
type Found = { readonly words: string; readonly entries: readonly Entry[]; readonly isAll: boolean };

const idOf = (place: number) => `find-${place}`;

export function Palette({ session, onClose }: { readonly session: OpenSession; readonly onClose: () => void }) {
  const typed = useSignal('');
  /** The records that were found for these words. */
  const records = useSignal<Found>({ words: '', entries: [], isAll: true });
  const active = useSignal(0);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  const words = typed.value.trim();
  useEffect(() => {
    active.value = 0;
    if (words === '') return;
    const ended = new AbortController();
    const timer = setTimeout(
      () =>
        recordEntries(session.collections, address.value.path[0], words, ended.signal, (entries, isAll) => {
          records.value = { words, entries, isAll };
        }),
      pauseMs,
    );
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [words]);

  const found = records.value.words === words ? records.value.entries : [];
  const entries = [...matching(entriesOf(session), words), ...(words === '' ? [] : found)];
  const place = Math.min(active.value, entries.length - 1);
  useEffect(() => document.getElementById(idOf(place))?.scrollIntoView({ block: 'nearest' }), [place]);

  function run(entry: Entry | undefined): void {
    if (entry === undefined) return;
    onClose();
    entry.run();
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown') active.value = (place + 1) % entries.length;
    else if (event.key === 'ArrowUp') active.value = (place + entries.length - 1) % entries.length;
    else if (event.key === 'Enter') run(entries[place]);
    else return;
    event.preventDefault();
  }
  return (
    <Dialog title="Find" top onClose={onClose}>
      <input
        ref={input}
        class="input"
        type="text"
        role="combobox"
        autocomplete="off"
        aria-label="Find"
        aria-expanded={entries.length > 0}
        aria-controls="find-list"
        aria-activedescendant={entries.length > 0 ? idOf(place) : undefined}
        placeholder="A collection, a record by title or id, a screen, an action"
        value={typed.value}
        onInput={({ currentTarget: { value } }) => {
          typed.value = value;
        }}
        onKeyDown={onKeyDown}
      />
      <div id="find-list" class="find-list" role="listbox" aria-label="What was found">
        {entries.map((entry, at) => (
          <div
            key={entry.key}
            id={idOf(at)}
            role="option"
            tabIndex={-1}
            aria-selected={at === place}
            onPointerDown={(event) => {
              event.preventDefault();
              run(entry);
            }}
            onPointerMove={() => {
              active.value = at;
            }}
          >
            <span class="one-line">{entry.title}</span>
            <span class="soft">{entry.kind}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 ? (
        <p class="soft" role="status">
          {records.value.words === words && records.value.isAll ? `Nothing is called “${words}”.` : 'Looking …'}
        </p>
      ) : null}
    </Dialog>
  );
}
