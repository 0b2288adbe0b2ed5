/** Saves the list, as it is filtered, sorted and shown, as a file of a format that is asked for. */
import type { Collection } from '../../api/declarations.ts';
import { messageOf } from '../../api/problem.ts';
import { type Query, searchOf } from '../../api/query.ts';
import { receive } from '../../api/request.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { notify } from '../../state/notices.ts';

const types = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

export type ExportProps = { readonly collection: Collection; readonly query: Query; readonly onClose: () => void };

export function ExportDialog({ collection, query, onClose }: ExportProps) {
  async function save(format: keyof typeof types): Promise<void> {
    onClose();
    const path = `/api/v2/${collection.name}/export?${searchOf(query)}`;
    // A long list takes its time.
    const request = { path, headers: { Accept: types[format] }, timeout: Number.POSITIVE_INFINITY };
    try {
      saveFile(await receive(request, (response) => response.blob()), `${collection.name}.${format}`);
    } catch (error) {
      notify({ kind: 'bad', text: `The export failed. ${messageOf(error)}` });
    }
  }
  return (
    <Dialog
      title="Export this list"
      onClose={onClose}
      actions={
        <>
          <Button icon="download" onPress={() => save('ndjson')}>
            NDJSON
          </Button>
          <Button icon="download" kind="main" onPress={() => save('csv')}>
            CSV
          </Button>
        </>
      }
    >
      <p>
        All records that the filters match, in this order, with the columns that are shown. CSV is for spreadsheets;
        NDJSON has one JSON object per line. Either can be imported again.
      </p>
    </Dialog>
  );
}
