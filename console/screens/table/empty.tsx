/** A list without records: there are none, or none that match. */
import type { Collection } from '../../api/declarations.ts';
import { Button } from '../../parts/button.tsx';

export type EmptyProps = {
  readonly collection: Collection;
  readonly isFiltered: boolean;
  /** A filter on a text is among them, and case counts for it. */
  readonly comparesText: boolean;
  /** Why the caller may not add records. */
  readonly refused: string | undefined;
  readonly importRefused: string | undefined;
  readonly onShowAll: () => void;
  readonly onNew: () => void;
  readonly onImport: () => void;
};

export function Empty({ collection: { name, singular }, isFiltered, comparesText, refused, ...act }: EmptyProps) {
  if (isFiltered)
    return (
      <div class="empty">
        <p>No {name} match these filters.</p>
        {comparesText ? <p class="soft">Upper and lower case differ: “a” does not find “A”.</p> : null}
        <Button onPress={act.onShowAll}>Show all</Button>
      </div>
    );
  return (
    <div class="empty">
      <p>There are no {name} yet.</p>
      <div class="empty-actions">
        <Button kind="main" icon="plus" refused={refused} onPress={act.onNew}>
          Add the first {singular}
        </Button>
        <Button icon="upload" refused={act.importRefused} onPress={act.onImport}>
          Import a file
        </Button>
      </div>
    </div>
  );
}
