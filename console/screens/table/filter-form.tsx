/** One filter: a field, an operator of its type, and a value. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type Column, operatorsOf, operatorWords } from '../../api/columns.ts';
import type { FieldDeclaration } from '../../api/declarations.ts';
import type { Filter } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';

export type FilterFormProps = {
  readonly columns: readonly Column[];
  /** Undefined for a new one. */
  readonly filter: Filter | undefined;
  /** Undefined if nothing is to change. */
  readonly onDone: (filter: Filter | undefined) => void;
};

export function FilterForm({ columns, filter, onDone }: FilterFormProps) {
  const first = columns.find(({ isOwn }) => !isOwn) ?? columns[0];
  const draft = useSignal<Filter>(filter ?? presetFor(first));
  const form = useRef<HTMLFormElement>(null);
  // Most filters are about a name, which is chosen already: what is missing is the value.
  useLayoutEffect(() => form.current?.querySelector<HTMLElement>('[aria-label="Value"]')?.focus(), []);
  const column = columns.find(({ name }) => name === draft.value.field);
  const operators = column === undefined ? [] : operatorsOf(column.field);
  return (
    <form
      ref={form}
      class="filter-form"
      aria-label="Filter"
      onSubmit={(event) => {
        event.preventDefault();
        onDone(draft.value);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onDone(undefined);
      }}
    >
      <select
        class="input"
        aria-label="Field"
        value={draft.value.field}
        onChange={({ currentTarget }) => {
          draft.value = presetFor(columns.find(({ name }) => name === currentTarget.value));
        }}
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
        value={draft.value.operator}
        onChange={({ currentTarget }) => {
          const operator = currentTarget.value;
          draft.value = { ...draft.value, operator, value: operator === 'is' ? 'set' : draft.value.value };
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
        filter={draft.value}
        onInput={(value) => {
          draft.value = { ...draft.value, value };
        }}
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
  if (field.type === 'date' && filter.operator !== 'in')
    return (
      <input
        class="input"
        aria-label="Value"
        type="date"
        value={filter.value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    );
  return (
    <input
      class="input"
      aria-label="Value"
      placeholder={placeholderOf(field, filter.operator)}
      value={filter.value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  );
}

function placeholderOf({ type }: FieldDeclaration, operator: string): string {
  if (operator === 'in') return 'one, two, three';
  if (type === 'timestamp') return '2026-11-15T08:00:00Z';
  return type === 'text' ? 'case counts' : '';
}
