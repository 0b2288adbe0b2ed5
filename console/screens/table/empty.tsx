/** A list without records: there are none, or none that match. */
import type { Collection } from '../../api/declarations.ts';
import { Button } from '../../parts/button.tsx';

export type EmptyProps = {
  readonly collection: Collection;
  readonly isFiltered: boolean;
  readonly onShowAll: () => void;
};

export function Empty({ collection: { name }, isFiltered, onShowAll }: EmptyProps) {
  return (
    <div class="empty">
      <p>{isFiltered ? `No ${name} match these filters.` : `There are no ${name} yet.`}</p>
      {isFiltered ? <Button onPress={onShowAll}>Show all</Button> : null}
    </div>
  );
}
