/** Deletes the selected records, a few at a time, and says which were not deleted and why. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Collection } from '../../api/declarations.ts';
import type { Row } from '../../api/pages.ts';
import { messageOf } from '../../api/problem.ts';
import { deleteRequest } from '../../api/records.ts';
import { send } from '../../api/request.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';

const atOnce = 4;

type Work =
  | { readonly kind: 'asking' }
  | { readonly kind: 'working'; readonly done: number }
  | { readonly kind: 'done'; readonly failed: readonly { readonly id: string; readonly why: string }[] };

export type DeleteManyProps = {
  readonly collection: Collection;
  readonly rows: readonly Row[];
  readonly onDeleted: (id: string) => void;
  readonly onClose: () => void;
};

export function DeleteMany({ collection, rows: selected, onDeleted, onClose }: DeleteManyProps) {
  // Those that are deleted are no longer selected.
  const rows = useRef(selected).current;
  const work = useSignal<Work>({ kind: 'asking' });
  const isStopped = useRef(false);
  const count = `${rows.length} ${rows.length === 1 ? collection.singular : collection.name}`;

  async function run(): Promise<void> {
    const failed: { id: string; why: string }[] = [];
    const waiting = [...rows];
    let done = 0;
    work.value = { kind: 'working', done };
    async function next(): Promise<void> {
      for (let row = waiting.shift(); row !== undefined && !isStopped.current; row = waiting.shift()) {
        try {
          await send(deleteRequest(collection.name, row));
          onDeleted(row.id);
        } catch (error) {
          failed.push({ id: row.id, why: messageOf(error) });
        }
        work.value = { kind: 'working', done: ++done };
      }
    }
    await Promise.all(Array.from({ length: atOnce }, next));
    for (const { id } of waiting) failed.push({ id, why: 'Not deleted: you stopped before it.' });
    work.value = { kind: 'done', failed };
    if (failed.length === 0) onClose();
  }

  const { value } = work;
  return (
    <Dialog
      title={`Delete ${count}`}
      onClose={() => {
        isStopped.current = true;
        if (value.kind !== 'working') onClose();
      }}
      actions={
        value.kind === 'asking' ? (
          <>
            <Button onPress={onClose}>Cancel</Button>
            <Button kind="danger" icon="trash" onPress={run}>
              Delete {count}
            </Button>
          </>
        ) : value.kind === 'working' ? (
          <Button
            onPress={() => {
              isStopped.current = true;
            }}
          >
            Stop
          </Button>
        ) : (
          <Button kind="main" onPress={onClose}>
            Close
          </Button>
        )
      }
    >
      {value.kind === 'asking' ? (
        <p>
          They are deleted one by one, as you see them: a record that was changed meanwhile is kept. This cannot be
          undone.
        </p>
      ) : null}
      {value.kind === 'working' ? (
        <>
          <progress max={rows.length} value={value.done} aria-label="Deleted" />
          <p>
            {value.done} of {rows.length}
          </p>
        </>
      ) : null}
      {value.kind === 'done' ? (
        <div role="alert">
          <p>
            {rows.length - value.failed.length} deleted, {value.failed.length} not:
          </p>
          <ul class="failed">
            {value.failed.map(({ id, why }) => (
              <li key={id}>
                <b>{id}</b> {why}
              </li>
            ))}
          </ul>
        </div>
      ) : null}
    </Dialog>
  );
}
