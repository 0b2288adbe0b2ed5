/** Asks before the selected records are deleted. */
import { useMemo } from 'preact/hooks';
import type { Collection } from '../../api/declarations.ts';
import { deletionBatches, maxOperations, whyKept } from '../../api/delete-many.ts';
import type { Row } from '../../api/pages.ts';
import { AsCode } from '../../code/as-code.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { countOf, deleteLater } from '../../state/deletions.ts';
import { useLoaded } from '../../state/loaded.ts';
import { deletionCode } from './code.ts';

export type DeleteManyProps = {
  readonly collection: Collection;
  /** As they were seen when the dialog was opened. */
  readonly rows: readonly Row[];
  readonly withKey: boolean;
  readonly onDeleted: (rows: readonly Row[]) => void;
  readonly onClose: () => void;
};

export function DeleteMany({ collection, rows, withKey, onDeleted, onClose }: DeleteManyProps) {
  const batches = useMemo(() => deletionBatches(collection, rows), []);
  const count = countOf(collection, rows.length);
  const kept = useLoaded((signal) => whyKept(collection, batches, signal), []).value;
  const why = kept.kind === 'here' ? kept.value : kept.kind === 'failed' ? kept.why : undefined;
  const refused = kept.kind === 'waiting' ? 'The server is still checking whether they can be deleted.' : why;
  return (
    <Dialog
      title={`Delete ${count}`}
      onClose={onClose}
      actions={
        <>
          <AsCode code={() => deletionCode(batches, withKey)} />
          <Button onPress={onClose}>Cancel</Button>
          <Button
            kind="danger"
            icon="trash"
            refused={refused}
            onPress={() => {
              deleteLater({ collection, batches, onDeleted });
              onClose();
            }}
          >
            Delete {count}
          </Button>
        </>
      }
    >
      {why === undefined ? null : (
        <p class="banner" role="alert">
          {why}
        </p>
      )}
      <p>
        You can undo it for six seconds.{' '}
        {batches.length === 1
          ? 'If a record was changed meanwhile, or cannot be deleted, all are kept.'
          : `They are deleted in steps of ${maxOperations.toLocaleString('en-US')}: if a record was changed meanwhile, or cannot be deleted, its step and those after it are kept.`}
      </p>
    </Dialog>
  );
}
