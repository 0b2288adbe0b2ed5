/** One record beside its table: its form, its history, and what can be done with it. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Collection } from '../../api/declarations.ts';
import { deletionBatches, whyKept } from '../../api/delete-many.ts';
import type { Row } from '../../api/pages.ts';
import { deleteRequest, readRecord } from '../../api/records.ts';
import { AsCode } from '../../code/as-code.tsx';
import { Button } from '../../parts/button.tsx';
import { go, hrefOf } from '../../state/address.ts';
import { deleteLater } from '../../state/deletions.ts';
import { useLoaded } from '../../state/loaded.ts';
import { notify } from '../../state/notices.ts';
import { keyName, refusal } from '../../state/session.ts';
import { codeOf } from './code.ts';
import { Draft } from './draft.ts';
import { DrawerHead } from './drawer-head.tsx';
import { Editor } from './editor.tsx';
import { History } from './history.tsx';
import './record.css';
import { startOfNew } from './start.ts';

export type RecordProps = {
  readonly collection: Collection;
  /** `new`, or digits. */
  readonly id: string;
  /** The query of the table behind it. */
  readonly search: string;
  /** Calls back with each change of a record; returns a function that ends it. */
  readonly watch: (id: string, notify: () => void) => () => void;
  readonly onSaved: (row: Row) => void;
};

export function RecordDrawer(props: RecordProps) {
  const { collection, id, search } = props;
  const title = id === 'new' ? `New ${collection.singular}` : `${collection.singular} ${id}`;
  const close = () => go(hrefOf([collection.name], search));
  const place = useRef<HTMLElement>(null);
  useLayoutEffect(() => place.current?.focus(), [id]);
  return (
    <aside
      ref={place}
      class="drawer"
      tabIndex={-1}
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) close();
      }}
    >
      {id === 'new' ? (
        <NewRecord {...props} title={title} onClose={close} />
      ) : (
        <KnownRecord {...props} title={title} onClose={close} />
      )}
    </aside>
  );
}

type InnerProps = RecordProps & { readonly title: string; readonly onClose: () => void };

function NewRecord(props: InnerProps) {
  const { collection, search } = props;
  const draft = useMemo(() => new Draft(collection, undefined, startOfNew(collection)), [collection]);
  return (
    <Editor
      {...props}
      draft={draft}
      head={<AsCode code={() => codeOf(draft, keyName() !== null)} />}
      onSaved={(row) => {
        props.onSaved(row);
        go(hrefOf([collection.name, row.id], search), 'replace');
      }}
    />
  );
}

function KnownRecord(props: InnerProps) {
  const { collection, id, title, onClose } = props;
  const [readings, setReadings] = useState(0);
  const loaded = useLoaded((signal) => readRecord(collection.name, id, signal), [collection, id, readings]).value;
  if (loaded.kind === 'waiting') return <DrawerHead title={title} onClose={onClose} />;
  if (loaded.kind === 'failed')
    return (
      <>
        <DrawerHead title={title} onClose={onClose} />
        <div class="drawer-body" role="alert">
          <p>{loaded.why}</p>
          <Button onPress={() => setReadings(readings + 1)}>Retry</Button>
        </div>
      </>
    );
  return <LoadedRecord key={id} {...props} row={loaded.value} />;
}

function LoadedRecord(props: InnerProps & { readonly row: Row }) {
  const { collection, id, search, row, onClose } = props;
  const draft = useMemo(() => new Draft(collection, row.values), [row]);
  const [tab, open] = useState<'form' | 'history'>('form');
  const head = (
    <>
      <AsCode code={() => codeOf(draft, keyName() !== null)} />
      <Button
        icon="copy"
        kind="quiet"
        label="Duplicate"
        refused={refusal('write', collection.name, 'create')}
        onPress={() => {
          startOfNew.from(collection, draft.base.value ?? row);
          go(hrefOf([collection.name, 'new'], search));
        }}
      />
      <Button
        icon="trash"
        kind="quiet"
        label="Delete"
        refused={refusal('write', collection.name, 'delete')}
        onPress={async () => {
          const seen = draft.base.value ?? row;
          const why = await whyKept(collection, deletionBatches(collection, [seen]), new AbortController().signal);
          if (why !== undefined) {
            notify({ kind: 'bad', text: why });
            return;
          }
          deleteLater({ collection, batches: [{ rows: [seen], request: deleteRequest(collection.name, seen) }] });
          draft.reset(seen.values);
          onClose();
        }}
      />
    </>
  );
  const tabs = (
    <div class="tabs" role="tablist" aria-label="Views of the record">
      {(['form', 'history'] as const).map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-selected={tab === name}
          aria-controls="drawer-panel"
          onClick={() => open(name)}
        >
          {name === 'form' ? 'Fields' : 'History'}
        </button>
      ))}
    </div>
  );
  if (tab === 'history')
    return (
      <>
        <DrawerHead title={props.title} onClose={onClose}>
          {head}
        </DrawerHead>
        {tabs}
        <History collection={collection} id={id} row={draft.base.value ?? row} />
      </>
    );
  return <Editor {...props} draft={draft} head={head} tabs={tabs} />;
}
