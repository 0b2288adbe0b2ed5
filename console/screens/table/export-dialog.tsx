/** Asks for the format of an export. */
import type { Collection } from '../../api/declarations.ts';
import type { Query } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { exportList, type Format } from './export.ts';

export type ExportProps = { readonly collection: Collection; readonly query: Query; readonly onClose: () => void };

export function ExportDialog({ collection, query, onClose }: ExportProps) {
  function save(format: Format): void {
    onClose();
    exportList(collection, query, format);
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
