/** The form of a record, and saving it without overwriting the changes of others. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Collection } from '../../api/declarations.ts';
import type { Row } from '../../api/pages.ts';
import { messageOf, ShelfError } from '../../api/problem.ts';
import { createRequest, readRecord, updateRequest, write } from '../../api/records.ts';
import { Button } from '../../parts/button.tsx';
import { Value } from '../../parts/values/value.tsx';
import { notify } from '../../state/notices.ts';
import { maySend, refusal } from '../../state/session.ts';
import { learnRow } from '../../state/titles.ts';
import { Conflict } from './conflict.tsx';
import type { Draft } from './draft.ts';
import { DrawerHead } from './drawer-head.tsx';
import { Field } from './fields/field.tsx';
import { KeepChanges } from './keep-changes.tsx';
import { ReferencedBy } from './referenced-by.tsx';

export type EditorProps = {
  readonly collection: Collection;
  readonly draft: Draft;
  readonly title: string;
  readonly head: ComponentChildren;
  readonly tabs?: ComponentChildren;
  readonly watch: (id: string, notify: () => void) => () => void;
  readonly onSaved: (row: Row) => void;
  readonly onClose: () => void;
};

export function Editor(props: EditorProps) {
  const { collection, draft } = props;
  const isSaving = useSignal(false);
  /** The record as somebody else has left it. */
  const theirs = useSignal<Row | undefined>(undefined);
  const isOutdated = useSignal(false);
  const base = draft.base.value;
  const change = base === undefined ? 'create' : 'update';
  const refused = refusal('write', collection.name, change);
  const { isDirty, changes } = draft;
  const maySendField = (name: string) => maySend(collection.name, change, name);

  async function save(): Promise<void> {
    if (isSaving.value || refused !== undefined || !draft.check(maySendField)) return;
    const { changes } = draft;
    const base = draft.base.value;
    if (base !== undefined && changes.size === 0) return;
    isSaving.value = true;
    const request =
      base === undefined ? createRequest(collection.name, changes) : updateRequest(collection.name, base, changes);
    try {
      const row = await write(request);
      draft.reset(row.values);
      learnRow(collection, row);
      isOutdated.value = false;
      notify({ kind: 'good', text: base === undefined ? `Added ${collection.singular} ${row.id}.` : 'Saved.' });
      props.onSaved(row);
    } catch (error) {
      await refuse(error);
    }
    isSaving.value = false;
  }

  async function refuse(error: unknown): Promise<void> {
    const base = draft.base.value;
    if (!(error instanceof ShelfError) || base === undefined || error.status !== 412) {
      const problems = error instanceof ShelfError ? error.problems : [];
      draft.refuse(problems, messageOf(error));
      return;
    }
    try {
      theirs.value = await readRecord(collection.name, base.id);
    } catch (second) {
      draft.refuse([], messageOf(second));
    }
  }

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      save();
    }
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  });

  // A change of somebody else: shown at once, or announced if there is something to lose.
  useEffect(() => {
    if (base === undefined) return;
    return props.watch(base.id, async () => {
      if (isSaving.value) return;
      const row = await readRecord(collection.name, base.id).catch(() => undefined);
      if (row === undefined || row.version === draft.base.value?.version) return;
      if (draft.isDirty) isOutdated.value = true;
      else draft.reset(row.values);
    });
  }, [draft, base?.id]);

  const whole = draft.problems.value.get('');
  return (
    <>
      <DrawerHead title={props.title} onClose={props.onClose}>
        {props.head}
      </DrawerHead>
      {props.tabs}
      <form
        id="drawer-panel"
        class="drawer-body"
        aria-label={props.title}
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        {refused === undefined ? null : <p class="banner">{refused}</p>}
        {isOutdated.value ? (
          <p class="banner" role="status">
            Somebody else has changed this record. When you save, you choose what to keep.
          </p>
        ) : null}
        {draft.columns.map((column) => (
          <Field
            key={column.name}
            column={column}
            entry={draft.entries.value.get(column.name)}
            problem={draft.problems.value.get(column.name)}
            isLocked={refused !== undefined || !maySendField(column.name)}
            isChanged={base !== undefined && changes.has(column.name)}
            onInput={(entry) => draft.set(column.name, entry)}
          />
        ))}
        {base === undefined ? null : (
          <>
            <ReferencedBy collection={collection} id={base.id} version={base.version} />
            <Facts row={base} />
          </>
        )}
      </form>
      <div class="drawer-foot">
        {whole === undefined ? null : (
          <p class="field-problem" role="alert">
            {whole}
          </p>
        )}
        <Button
          kind="main"
          icon="check"
          refused={refused ?? (base !== undefined && !isDirty ? 'Nothing has changed.' : undefined)}
          onPress={save}
        >
          {isSaving.value ? 'Saving \u2026' : base === undefined ? `Add ${collection.singular}` : 'Save'}
        </Button>
        {base !== undefined && isDirty ? (
          <Button kind="quiet" onPress={() => draft.reset(base.values)}>
            Undo changes
          </Button>
        ) : null}
        <span class="soft keys">Ctrl S saves</span>
      </div>
      <KeepChanges isDirty={() => draft.isDirty} />
      {theirs.value === undefined || base === undefined ? null : (
        <Conflict
          draft={draft}
          base={base}
          theirs={theirs.value}
          onClose={() => {
            theirs.value = undefined;
          }}
          onChosen={(chosen) => {
            const row = theirs.value;
            theirs.value = undefined;
            if (row === undefined) return;
            draft.rebase(row.values, chosen);
            isOutdated.value = false;
            if (draft.changes.size > 0) save();
          }}
        />
      )}
    </>
  );
}

function Facts({ row: { id, version, values } }: { readonly row: Row }) {
  return (
    <dl class="facts">
      <dt>id</dt>
      <dd>{id}</dd>
      <dt>version</dt>
      <dd>{version}</dd>
      {['created_at', 'updated_at'].map((name) => (
        <>
          <dt key={name}>{name}</dt>
          <dd>
            <Value value={values.get(name)} field={{ type: 'timestamp' }} />
          </dd>
        </>
      ))}
    </dl>
  );
}
