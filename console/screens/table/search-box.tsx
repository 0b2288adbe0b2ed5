/** Searches the texts of a collection. It says in which fields; Enter searches, and an emptied box shows all again. */
import { useEffect, useState } from 'preact/hooks';
import type { Collection } from '../../api/declarations.ts';
import type { Filter } from '../../api/query.ts';
import { textSearchOf } from '../../api/text-search.ts';
import './search-box.css';

export type SearchBoxProps = {
  readonly collection: Collection;
  readonly filters: readonly Filter[];
  readonly onChange: (filters: readonly Filter[]) => void;
};

export function SearchBox({ collection, filters, onChange }: SearchBoxProps) {
  const search = textSearchOf(collection);
  const place = filters.findIndex(({ field, operator }) => field === search?.field && operator === search.operator);
  const current = filters[place]?.value ?? '';
  const [text, setText] = useState(current);
  // The address is what is searched: it changes with the back button, and where the filter is removed.
  useEffect(() => setText(current), [current, collection]);
  if (search === undefined) return null;
  const { field, operator, about } = search;

  function apply(value: string): void {
    if (value === current) return;
    const others = place < 0 ? filters : filters.toSpliced(place, 1);
    onChange(value === '' ? others : [...others, { field, operator, value }]);
  }

  return (
    <search class="search-box">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          apply(text);
        }}
      >
        <input
          class="input"
          type="search"
          aria-label={`Search: ${about}`}
          placeholder={about}
          value={text}
          onInput={({ currentTarget: { value } }) => {
            setText(value);
            if (value === '') apply('');
          }}
        />
      </form>
    </search>
  );
}
