/** Chooses a record by its title or id. The chosen one is a chip in the input; what is typed stays until it is chosen or removed. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Candidate, candidates } from '../../api/candidates.ts';
import { collectionsSeen } from '../../state/session.ts';
import { learnTitle, titleOf } from '../../state/titles.ts';
import { Button } from '../button.tsx';
import './record-picker.css';
import { Reference } from '../values/reference.tsx';

const pauseMs = 150;
const mostFound = 8;

export type RecordPickerProps = {
  readonly id: string;
  /** The name of the field, where a label does not say it. */
  readonly label?: string | undefined;
  readonly to: string | undefined;
  /** An id, or what was typed and is none yet. */
  readonly value: string;
  readonly placeholder?: string;
  readonly isLocked?: boolean;
  readonly isWrong?: boolean;
  readonly describedBy?: string | undefined;
  readonly onChange: (value: string) => void;
};

type Found = { readonly words: string; readonly choices: readonly Candidate[] };

export function RecordPicker({ id, label, to, value, onChange, isLocked = false, ...look }: RecordPickerProps) {
  const target = collectionsSeen().find(({ name }) => name === to);
  /** What is searched for; undefined while the list is closed. */
  const typed = useSignal<string | undefined>(undefined);
  const found = useSignal<Found | undefined>(undefined);
  const active = useSignal(0);
  const words = typed.value;

  useEffect(() => {
    if (target === undefined || words === undefined) return;
    const ended = new AbortController();
    const look = () =>
      candidates(target, words, mostFound, ended.signal).then(
        (choices) => {
          found.value = { words, choices };
          active.value = 0;
        },
        () => {},
      );
    const timer = setTimeout(look, pauseMs);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [words, target]);

  function close(): void {
    typed.value = undefined;
    found.value = undefined;
  }
  function choose(choice: Candidate | undefined): void {
    if (choice === undefined) return;
    close();
    if (to !== undefined) learnTitle(to, choice.id, choice.title);
    onChange(choice.id);
  }

  const choices = found.value?.choices ?? [];
  const isOpen = words !== undefined && found.value !== undefined;
  const isChosen = words === undefined && /^\d+$/.test(value);

  function onKeyDown(event: KeyboardEvent & { readonly currentTarget: HTMLInputElement }): void {
    if (event.key === 'ArrowDown' && words === undefined) typed.value = isChosen ? '' : value;
    else if (event.key === 'ArrowDown') active.value = Math.min(active.value + 1, choices.length - 1);
    else if (event.key === 'ArrowUp' && isOpen) active.value = Math.max(active.value - 1, 0);
    // Words are no id, so a form is not sent with them while they are searched for.
    else if (event.key === 'Enter' && (choices.length > 0 || /\D/.test(words ?? ''))) choose(choices[active.value]);
    else if (event.key === 'Escape' && words !== undefined) close();
    else if (event.key === 'Backspace' && isChosen) onChange('');
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div class={`input picker${isLocked ? ' locked' : ''}`} aria-invalid={look.isWrong === true ? true : undefined}>
      {isChosen ? (
        <span class="picked">
          <span class="one-line">
            <Reference to={to} id={value} />
            {titleOf(to, value).value === '' ? <span class="soft"> is no such record</span> : null}
          </span>
          {isLocked ? null : (
            <Button icon="close" kind="quiet" label={`Remove ${to} ${value}`} onPress={() => onChange('')} />
          )}
        </span>
      ) : null}
      <input
        id={id}
        type="text"
        role="combobox"
        autocomplete="off"
        disabled={isLocked}
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-activedescendant={isOpen && choices.length > 0 ? `${id}-choice-${active.value}` : undefined}
        aria-invalid={look.isWrong === true ? true : undefined}
        aria-describedby={look.describedBy}
        placeholder={isChosen ? '' : (look.placeholder ?? (target === undefined ? 'an id' : `search ${to}, or an id`))}
        value={isChosen ? '' : (words ?? value)}
        onInput={({ currentTarget: { value: text } }) => {
          typed.value = text;
          onChange(text);
        }}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      <div class="picker-list" hidden={!isOpen}>
        <div id={`${id}-list`} role="listbox" aria-label={`Records of ${to}`}>
          {choices.map((choice, place) => (
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
              {choice.title} <span class="soft">{choice.id}</span>
            </div>
          ))}
        </div>
        {isOpen && choices.length === 0 ? (
          <p class="soft" role="status">
            No match: none of {to} is called “{found.value?.words}”.
          </p>
        ) : null}
      </div>
    </div>
  );
}
