/** The filters of a table as chips, and the form that adds or changes one. */
import { useState } from 'preact/hooks';
import { columnsOf, operatorsOf, operatorWords } from '../api/columns.ts';
import type { Collection } from '../api/declarations.ts';
import type { Filter } from '../api/query.ts';
import { everyWordColumn } from '../api/text-search.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import './filters.css';
import { FilterForm } from './filter-form.tsx';

export type FiltersProps = {
  readonly collection: Collection;
  readonly filters: readonly Filter[];
  readonly onChange: (filters: readonly Filter[]) => void;
};

export function Filters({ collection, filters, onChange }: FiltersProps) {
  /** The place of the filter in the form; `filters.length` for a new one. */
  const [place, edit] = useState<number | undefined>();
  const every = everyWordColumn(collection);
  const columns = [...columnsOf(collection), ...every].filter(({ field }) => operatorsOf(field).length > 0);
  return (
    <div class="filters">
      {filters.map((filter, at) => (
        <span key={`${filter.field} ${filter.operator} ${filter.value}`} class="chip">
          <button type="button" title="Change this filter" onClick={() => edit(at)}>
            {filter.field} {every.some(({ name }) => name === filter.field) ? filter.value : wordsOf(filter)}
          </button>
          <button
            type="button"
            aria-label={`Remove the filter on ${filter.field}`}
            onClick={() => {
              edit(undefined);
              onChange(filters.toSpliced(at, 1));
            }}
          >
            <Icon name="close" size={14} />
          </button>
        </span>
      ))}
      {place === undefined ? (
        <Button icon="filter" kind="quiet" onPress={() => edit(filters.length)}>
          Filter
        </Button>
      ) : (
        <FilterForm
          key={place}
          columns={columns}
          filter={filters[place]}
          onDone={(filter) => {
            edit(undefined);
            if (filter !== undefined) onChange(filters.toSpliced(place, 1, filter));
          }}
        />
      )}
    </div>
  );
}

function wordsOf({ operator, value }: Filter): string {
  if (operator === 'is') return value === 'set' ? 'has a value' : 'has no value';
  return `${operatorWords[operator] ?? operator} ${value === '' ? 'empty' : value}`;
}
