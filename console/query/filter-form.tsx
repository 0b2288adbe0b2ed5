/** One filter: a field, an operator of its type, and a value. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Column, caseCounts, operatorsOf, operatorWords } from '../api/columns.ts';
import type { FieldDeclaration } from '../api/declarations.ts';
import type { Filter } from '../api/query.ts';
import { Button } from '../parts/button.tsx';

export type FilterFormProps = {
  readonly columns: readonly Column[];
  /** Undefined for a new one. */
  readonly filter: Filter | undefined;
  /** Undefined if nothing is to change. */
  readonly onDone: (filter: Filter | undefined) => void;
};

export function FilterForm({ columns, filter, onDone }: FilterFormProps) {
  const first = columns.find(({ isOwn }) => !isOwn) ?? columns[0];
  const [draft, setDraft] = useState<Filter>(filter ?? presetFor(first));
  const form = useRef<HTMLFormElement>(null);
  // Most filters are about a name, which is chosen already: what is missing is the value.
  useLayoutEffect(() => form.current?.querySelector<HTMLElement>('[aria-label="Value"]')?.focus(), []);
  const column = columns.find(({ name }) => name === draft.field);
  const operators = column === undefined ? [] : operatorsOf(column.field);
  return (
    <form
      ref={form}
      class="filter-form"
      aria-label="Filter"
      onSubmit={(event) => {
        event.preventDefault();
        onDone(draft);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onDone(undefined);
      }}
    >
      <select
        class="input"
        aria-label="Field"
        value={draft.field}
        onChange={({ currentTarget: { value } }) => setDraft(presetFor(columns.find(({ name }) => name === value)))}
      >
        {columns.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <select
        class="input"
        aria-label="Condition"
        value={draft.operator}
        onChange={({ currentTarget }) => {
          const operator = currentTarget.value;
          setDraft({ ...draft, operator, value: operator === 'is' ? 'set' : draft.value });
        }}
      >
        {operators.map((operator) => (
          <option key={operator} value={operator}>
            {operator === 'is' ? 'has a value, or none' : operatorWords[operator]}
          </option>
        ))}
      </select>
      <FilterValue
        field={column?.field ?? { type: 'text' }}
        filter={draft}
        onInput={(value) => setDraft({ ...draft, value })}
      />
      <Button kind="main" submits>
        Apply
      </Button>
      <Button kind="quiet" onPress={() => onDone(undefined)}>
        Cancel
      </Button>
    </form>
  );
}

function presetFor(column: Column | undefined): Filter {
  const operator = column === undefined ? 'eq' : (operatorsOf(column.field)[0] ?? 'eq');
  const [value = ''] = column === undefined ? [] : choicesOf(column.field, operator);
  return { field: column?.name ?? '', operator, value };
}

/** The values to choose from; none if any text can be one. */
function choicesOf({ type, of }: FieldDeclaration, operator: string): readonly string[] {
  if (operator === 'is') return ['set', 'null'];
  if (operator === 'in') return [];
  if (type === 'boolean') return ['true', 'false'];
  return type === 'choice' && Array.isArray(of) ? of : [];
}

type FilterValueProps = {
  readonly field: FieldDeclaration;
  readonly filter: Filter;
  readonly onInput: (value: string) => void;
};

function FilterValue({ field, filter, onInput }: FilterValueProps) {
  const choices = choicesOf(field, filter.operator);
  if (choices.length > 0)
    return (
      <select
        class="input"
        aria-label="Value"
        value={filter.value}
        onChange={({ currentTarget }) => onInput(currentTarget.value)}
      >
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice === 'set' ? 'has a value' : choice === 'null' ? 'has no value' : choice}
          </option>
        ))}
      </select>
    );
  const common = {
    class: 'input',
    'aria-label': 'Value',
    value: filter.value,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onInput(currentTarget.value),
  };
  if (field.type === 'date' && filter.operator !== 'in') return <input {...common} type="date" />;
  return <input {...common} placeholder={placeholderOf(field, filter.operator)} />;
}

function placeholderOf({ type }: FieldDeclaration, operator: string): string {
  if (operator === 'in') return 'one, two, three';
  if (type === 'timestamp') return '2026-11-15T08:00:00Z';
  return type === 'text' && caseCounts(operator) ? 'case counts' : '';
}
