/** One filter: a field, an operator of its type, and a value; or several of them, of which one is enough. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Column, operatorsOf, operatorWords } from '../api/columns.ts';
import type { Filter } from '../api/query.ts';
import { Button } from '../parts/button.tsx';
import { timeIn } from '../parts/values/moment-text.ts';
import { choicesOf, FilterValue } from './filter-value.tsx';

export type FilterFormProps = {
  readonly columns: readonly Column[];
  /** Empty for a new filter. */
  readonly filters: readonly Filter[];
  /** Undefined if nothing is to change. */
  readonly onDone: (filters: readonly Filter[] | undefined) => void;
};

export function FilterForm({ columns, filters, onDone }: FilterFormProps) {
  const first = columns.find(({ isOwn }) => !isOwn) ?? columns[0];
  const [drafts, setDrafts] = useState<readonly Filter[]>(filters.length > 0 ? filters : [presetFor(first)]);
  const form = useRef<HTMLFormElement>(null);
  // Most filters are about a name, which is chosen already: what is missing is the value.
  useLayoutEffect(() => {
    const values = form.current?.querySelectorAll<HTMLElement>('[aria-label="Value"]') ?? [];
    values[values.length - 1]?.focus();
  }, [drafts.length]);
  return (
    <form
      ref={form}
      class="filter-form"
      aria-label="Filter"
      onSubmit={(event) => {
        event.preventDefault();
        onDone(drafts.map((draft) => inApi(draft, columns)));
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onDone(undefined);
      }}
    >
      {drafts.map((draft, place) => (
        <Condition
          key={place}
          columns={columns}
          draft={draft}
          isFirst={place === 0}
          onChange={(next) => setDrafts(drafts.with(place, next))}
          onRemove={() => setDrafts(drafts.toSpliced(place, 1))}
        />
      ))}
      <span class="filter-actions">
        <Button icon="plus" kind="quiet" onPress={() => setDrafts([...drafts, presetFor(first)])}>
          Or
        </Button>
        <Button kind="main" submits>
          Apply
        </Button>
        <Button kind="quiet" onPress={() => onDone(undefined)}>
          Cancel
        </Button>
      </span>
    </form>
  );
}

type ConditionProps = {
  readonly columns: readonly Column[];
  readonly draft: Filter;
  readonly isFirst: boolean;
  readonly onChange: (draft: Filter) => void;
  readonly onRemove: () => void;
};

function Condition({ columns, draft, isFirst, onChange, onRemove }: ConditionProps) {
  const column = columns.find(({ name }) => name === draft.field);
  const operators = column === undefined ? [] : operatorsOf(column.field);
  return (
    <div class="condition">
      {isFirst ? null : <span class="soft">or</span>}
      <select
        class="input"
        aria-label="Field"
        value={draft.field}
        onChange={({ currentTarget: { value } }) => onChange(presetFor(columns.find(({ name }) => name === value)))}
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
          onChange({ ...draft, operator, value: operator === 'is' ? 'set' : draft.value });
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
        onInput={(value) => onChange({ ...draft, value })}
      />
      {isFirst ? null : (
        <Button icon="close" kind="quiet" label={`Remove the condition on ${draft.field}`} onPress={onRemove} />
      )}
    </div>
  );
}

function presetFor(column: Column | undefined): Filter {
  const operator = column === undefined ? 'eq' : (operatorsOf(column.field)[0] ?? 'eq');
  const [value = ''] = column === undefined ? [] : choicesOf(column.field, operator);
  return { field: column?.name ?? '', operator, value };
}

/** A time is typed in the form of the console. */
function inApi(filter: Filter, columns: readonly Column[]): Filter {
  const type = columns.find(({ name }) => name === filter.field)?.field.type;
  const isTime = type === 'timestamp' && filter.operator !== 'is' && filter.operator !== 'in';
  return isTime ? { ...filter, value: timeIn(filter.value) ?? filter.value } : filter;
}
