/** The groups or the measures of a summary as chips, and the form that adds one. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';

export type ChoicesProps = {
  /** `group`, or `measure`. */
  readonly what: string;
  readonly options: readonly string[];
  readonly chosen: readonly string[];
  readonly most: number;
  readonly onChange: (chosen: readonly string[]) => void;
};

export function Choices({ what, options, chosen, most, onChange }: ChoicesProps) {
  const [isOpen, open] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const wasOpen = useRef(false);
  // The keyboard goes on where it was.
  useLayoutEffect(() => {
    if (isOpen || wasOpen.current) frame.current?.querySelector<HTMLElement>('select, .button')?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return (
    <div class="filters" ref={frame}>
      {chosen.map((name) => (
        <span key={name} class="chip">
          <span class="chip-text">{name}</span>
          <button
            type="button"
            aria-label={`Remove the ${what} ${name}`}
            onClick={() => onChange(chosen.filter((one) => one !== name))}
          >
            <Icon name="close" size={14} />
          </button>
        </span>
      ))}
      {isOpen ? (
        <AddForm
          what={what}
          options={options.filter((name) => !chosen.includes(name))}
          onDone={(name) => {
            open(false);
            if (name !== undefined) onChange([...chosen, name]);
          }}
        />
      ) : (
        <Button
          icon="plus"
          kind="quiet"
          label={`Add a ${what}`}
          refused={chosen.length < most ? undefined : `A summary has at most ${most} ${what}s.`}
          onPress={() => open(true)}
        />
      )}
    </div>
  );
}

type AddFormProps = {
  readonly what: string;
  readonly options: readonly string[];
  /** Undefined if nothing is to change. */
  readonly onDone: (name: string | undefined) => void;
};

function AddForm({ what, options, onDone }: AddFormProps) {
  const [name, choose] = useState(options[0]);
  return (
    <form
      class="filter-form"
      aria-label={`New ${what}`}
      onSubmit={(event) => {
        event.preventDefault();
        onDone(name);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onDone(undefined);
      }}
    >
      <select
        class="input"
        aria-label={`Name of the ${what}`}
        value={name}
        onChange={({ currentTarget: { value } }) => choose(value)}
      >
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
      <Button kind="main" submits>
        Add
      </Button>
      <Button kind="quiet" onPress={() => onDone(undefined)}>
        Cancel
      </Button>
    </form>
  );
}
