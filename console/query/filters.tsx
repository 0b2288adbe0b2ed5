/** The filters of a table as chips, and the form that adds or changes one. */
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { type Column, columnsOf, operatorsOf, operatorWords } from '../api/columns.ts';
import type { Collection } from '../api/declarations.ts';
import type { Filter } from '../api/query.ts';
import { everyWordColumn } from '../api/text-search.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { timeIn, timeText } from '../parts/values/moment-text.ts';
import { Title } from '../parts/values/reference.tsx';
import { alternativesIn, anyOf } from './alternatives.ts';
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
  const all = [...columnsOf(collection), ...everyWordColumn(collection)];
  const columns = all.filter(({ field }) => operatorsOf(field).length > 0);
  /** Conditions that the form cannot show are changed in the address. */
  const partsOf = (filter: Filter) => alternativesIn(filter) ?? [filter];
  const isEditable = (filter: Filter) =>
    partsOf(filter).every(({ field }) => columns.some(({ name }) => name === field));
  return (
    <div class="filters">
      {filters.map((filter, at) => (
        <span key={`${filter.field} ${filter.operator} ${filter.value}`} class="chip">
          <button
            type="button"
            title={isEditable(filter) ? 'Change this filter' : 'This filter is changed in the address'}
            onClick={() => (isEditable(filter) ? edit(at) : undefined)}
          >
            <span>
              {partsOf(filter).map((part, number) => (
                <Fragment key={number}>
                  {number === 0 ? null : <i> or </i>}
                  <Words filter={part} columns={all} />
                </Fragment>
              ))}
            </span>
          </button>
          <button
            type="button"
            aria-label={`Remove the filter on ${partsOf(filter)
              .map(({ field }) => field)
              .join(' or ')}`}
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
          filters={filters.slice(place, place + 1).flatMap(partsOf)}
          onDone={(done) => {
            edit(undefined);
            const [first, ...more] = done ?? [];
            if (done === undefined || first === undefined) return;
            onChange(filters.toSpliced(place, 1, more.length === 0 ? first : anyOf(collection, done)));
          }}
        />
      )}
    </div>
  );
}

function Words({ filter: { field, operator, value }, columns }: { filter: Filter; columns: readonly Column[] }) {
  const declared = columns.find(({ name }) => name === field)?.field;
  if (declared?.type === 'words')
    return (
      <>
        {field} {value}
      </>
    );
  if (operator === 'is')
    return (
      <>
        {field} {value === 'set' ? 'has a value' : 'has no value'}
      </>
    );
  const ids = declared?.type === 'reference' ? value.split(',') : [];
  return (
    <>
      {field} {operatorWords[operator] ?? operator}{' '}
      {ids.length === 0
        ? value === ''
          ? 'empty'
          : declared?.type === 'timestamp' && timeIn(value) === value
            ? timeText(value)
            : operator === 'in'
              ? value.split(',').join(', ')
              : value
        : ids.map((id, at) => (
            <Fragment key={id}>
              {at === 0 ? null : ', '}
              <Title to={declared?.to} id={id} />
            </Fragment>
          ))}
    </>
  );
}
