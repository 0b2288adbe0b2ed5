/** A reference: search the other collection by its text, or type an id. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { labelFieldOf } from '../../../api/columns.ts';
import type { Collection } from '../../../api/declarations.ts';
import { unquoted } from '../../../api/json.ts';
import { type Row, readPage } from '../../../api/pages.ts';
import { searchOf } from '../../../api/query.ts';
import { hrefOf } from '../../../state/address.ts';
import { session } from '../../../state/session.ts';
import type { InputProps } from './input-props.ts';

const pauseMs = 150;
const mostFound = 8;

type Choice = { readonly id: string; readonly label: string };

export function ReferenceInput({ id, field, entry, isLocked, isWrong, onInput }: InputProps) {
  const current = session.value;
  const target = current.kind === 'open' ? current.collections.find(({ name }) => name === field.to) : undefined;
  const text = typeof entry === 'string' ? entry : '';
  const label = useSignal('');
  /** What is typed to search with; undefined while the list is closed. */
  const typed = useSignal<string | undefined>(undefined);
  const found = useSignal<readonly Choice[]>([]);
  const active = useSignal(0);

  // The name of the record that is chosen.
  useEffect(() => {
    label.value = '';
    if (target === undefined || !/^\d+$/.test(text)) return;
    const ended = new AbortController();
    search(target, [{ field: 'id', operator: 'eq', value: text }], ended.signal).then(
      ([one]) => {
        label.value = one?.label ?? 'there is no such record';
      },
      () => {},
    );
    return () => ended.abort();
  }, [text, target]);

  useEffect(() => {
    const words = typed.value;
    if (target === undefined || words === undefined) return;
    const ended = new AbortController();
    const timer = setTimeout(
      () =>
        candidates(target, words, ended.signal).then(
          (choices) => {
            found.value = choices;
            active.value = 0;
          },
          () => {},
        ),
      pauseMs,
    );
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [typed.value, target]);

  function choose(choice: Choice | undefined): void {
    typed.value = undefined;
    found.value = [];
    if (choice !== undefined) onInput(choice.id);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const { length } = found.value;
    if (typed.value === undefined) return;
    if (event.key === 'ArrowDown') active.value = Math.min(active.value + 1, length - 1);
    else if (event.key === 'ArrowUp') active.value = Math.max(active.value - 1, 0);
    else if (event.key === 'Enter') choose(found.value[active.value]);
    else if (event.key === 'Escape') choose(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const isOpen = typed.value !== undefined && found.value.length > 0;
  return (
    <div class="reference">
      <input
        id={id}
        class="input"
        type="text"
        role="combobox"
        autocomplete="off"
        disabled={isLocked}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-activedescendant={isOpen ? `${id}-choice-${active.value}` : undefined}
        aria-invalid={isWrong ? true : undefined}
        aria-describedby={`${id}-hint ${id}-name ${id}-problem`}
        placeholder={
          entry === null ? 'no value' : target === undefined ? 'an id' : `an id, or words to search ${field.to} for`
        }
        value={typed.value ?? text}
        onInput={({ currentTarget: { value } }) => {
          typed.value = value;
          if (/^\d*$/.test(value)) onInput(value === '' && field.optional === true ? null : value);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => choose(undefined)}
      />
      <span class="reference-name one-line" id={`${id}-name`}>
        {label.value === '' || target === undefined ? null : <a href={hrefOf([target.name, text])}>{label.value}</a>}
      </span>
      <div
        class="reference-list"
        id={`${id}-list`}
        role="listbox"
        aria-label={`Records of ${field.to}`}
        hidden={!isOpen}
      >
        {found.value.map((choice, place) => (
          <div
            key={choice.id}
            id={`${id}-choice-${place}`}
            class="one-line"
            role="option"
            tabIndex={-1}
            aria-selected={place === active.value}
            onPointerDown={(event) => {
              // Before the input loses the focus, which closes the list.
              event.preventDefault();
              choose(choice);
            }}
          >
            <b>{choice.id}</b> {choice.label}
          </div>
        ))}
      </div>
    </div>
  );
}

/** By the text that tells records apart, and by id. */
async function candidates(target: Collection, words: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const label = labelFieldOf(target);
  const byText =
    label === undefined ? [] : await search(target, [{ field: label, operator: 'contains', value: words }], signal);
  const byId = /^[1-9]\d{0,15}$/.test(words)
    ? await search(target, [{ field: 'id', operator: 'eq', value: words }], signal)
    : [];
  return [...byId, ...byText.filter(({ id }) => id !== byId[0]?.id)].slice(0, mostFound);
}

type Filters = Parameters<typeof searchOf>[0]['filters'];

async function search(target: Collection, filters: Filters, signal: AbortSignal): Promise<readonly Choice[]> {
  const label = labelFieldOf(target);
  const fields = ['id', ...(label === undefined ? [] : [label])];
  const query = searchOf({ filters, sort: [], fields });
  const { rows } = await readPage(`/api/v2/${target.name}?${query}&limit=${mostFound}`, signal);
  return rows.map((row) => ({ id: row.id, label: textOf(row, label) }));
}

function textOf({ id, values }: Row, label: string | undefined): string {
  const value = label === undefined ? undefined : values.get(label);
  return value === undefined || value === 'null' ? `record ${id}` : unquoted(value);
}
