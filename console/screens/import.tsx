/** Brings in a file: its columns are chosen, it is checked, and it is added in batches. */
import { useEffect, useState } from 'preact/hooks';
import type { Collection } from '../api/declarations.ts';
import { messageOf } from '../api/problem.ts';
import { AsCode } from '../code/as-code.tsx';
import { lazy } from '../parts/lazy.tsx';
import { address, go, hrefOf } from '../state/address.ts';
import { refusal, session } from '../state/session.ts';
import { takeHandedOver } from './import/handed-over.ts';
import { asLines } from './import/json-list.ts';
import { lookAt } from './import/layout.ts';
import type { NewPanelProps } from './import/new/panel.tsx';
import { ChooseSource } from './import/panels/choose-source.tsx';
import { codeOf } from './import/panels/code.ts';
import { ColumnsPanel } from './import/panels/columns-panel.tsx';
import { JobPanel } from './import/panels/job-panel.tsx';
import { SavedPanel } from './import/panels/saved-panel.tsx';
import { guessPlan, missingIn, type Plan, targetsOf } from './import/plan.ts';
import { Job } from './import/run/job.ts';
import { dismiss, jobs, leave, start } from './import/run/jobs.ts';
import { type Earlier, load } from './import/run/saved.ts';
import type { Source, SourceRow } from './import/source.ts';
import './import.css';

const NewPanel = lazy<NewPanelProps>(async () => (await import('./import/new/panel.tsx')).NewPanel);

export function Import() {
  const current = session.value;
  /** It stays when another collection is chosen for it. */
  const [source, setSource] = useState<Source | undefined>(takeHandedOver);
  if (current.kind !== 'open') return null;
  const { collections, me } = current;
  const search = new URLSearchParams(address.value.search);
  const asked = search.get('collection');
  const mayDeclare = refusal('admin') === undefined;
  // An empty Shelf has the collections of the contract alone.
  const isEmpty = asked === null && collections.every(({ contract }) => contract);
  if (mayDeclare && (search.has('new') || isEmpty))
    return <IntoNew collections={collections} source={source} onSource={setSource} />;
  const collection = collections.find(({ name }) => name === asked) ?? collections[0];
  if (collection === undefined) return <p class="plain-screen">There is no collection to import into.</p>;
  return (
    <Into
      key={collection.name}
      collection={collection}
      collections={collections}
      isAsked={asked !== null}
      withKey={me.auth !== 'off'}
      source={source}
      onSource={setSource}
    />
  );
}

type IntoProps = {
  readonly collection: Collection;
  readonly collections: readonly Collection[];
  /** The address names it. */
  readonly isAsked: boolean;
  readonly withKey: boolean;
  /** The file that was chosen before. */
  readonly source: Source | undefined;
  readonly onSource: (source: Source | undefined) => void;
};

const goTo = (name: string) =>
  go(hrefOf(['-', 'import'], name === '' ? 'new=true' : new URLSearchParams({ collection: name }).toString()));

type ChooseIntoProps = { readonly collections: readonly Collection[]; readonly name: string };

/** `name` is empty for a new collection. */
function ChooseInto({ collections, name }: ChooseIntoProps) {
  return (
    <label class="import-into">
      Into
      <select class="input" value={name} onChange={({ currentTarget: { value } }) => goTo(value)}>
        {refusal('admin') === undefined ? <option value="">a new collection</option> : null}
        {collections.map((one) => (
          <option key={one.name} value={one.name}>
            {one.title ?? one.name}
          </option>
        ))}
      </select>
    </label>
  );
}

type IntoNewProps = Pick<IntoProps, 'collections' | 'source' | 'onSource'>;

function IntoNew({ collections, source, onSource }: IntoNewProps) {
  return (
    <>
      <div class="screen-head">
        <h1>Import</h1>
      </div>
      <div class="plain-screen import">
        <ChooseInto collections={collections} name="" />
        {source === undefined ? (
          <>
            <p>The fields are proposed from the values of the file. You look at them before anything is changed.</p>
            <ChooseSource label="Choose a file" takesText onChosen={onSource} />
          </>
        ) : (
          <NewPanel source={source} taken={collections.map(({ name }) => name)} onBack={() => onSource(undefined)} />
        )}
      </div>
    </>
  );
}

type Draft = { readonly source: Source; readonly plan: Plan; readonly rows: readonly SourceRow[] };

/** Before a file is chosen: one with the names of the fields. */
function exampleOf(collection: Collection): Draft {
  const columns = targetsOf(collection).map(({ name }) => name);
  const layout = { format: 'csv', separator: ',', header: '', columns } as const;
  return {
    source: { name: `${collection.name}.csv`, blob: new Blob() },
    plan: guessPlan(collection, layout),
    rows: [],
  };
}

function Into({ collection, collections, isAsked, withKey, source, onSource }: IntoProps) {
  const { name } = collection;
  const [draft, setDraft] = useState<Draft | undefined>();
  const [failure, setFailure] = useState('');
  const [earlier, setEarlier] = useState<Earlier | undefined>();
  const refused = refusal('write', name, 'import');
  const job = jobs.value.get(name);
  useEffect(() => {
    load(name).then(setEarlier, () => {
      // The browser keeps nothing.
    });
    if (source !== undefined) choose(source);
  }, []);

  async function choose(given: Source): Promise<void> {
    try {
      const source = await asLines(given);
      const { layout, rows } = await lookAt(source);
      const plan = guessPlan(collection, layout);
      onSource(source);
      setDraft({ source, plan, rows });
      setFailure('');
      // The first collection is only a guess: the columns may be the fields of another one.
      const fits = (one: Collection) => missingIn(guessPlan(one, layout), one).length === 0;
      const better = isAsked || fits(collection) ? undefined : collections.find(fits);
      if (better !== undefined) goTo(better.name);
      else if (!isAsked && !fits(collection) && refusal('admin') === undefined) goTo('');
    } catch (error) {
      setFailure(`${given.name} cannot be imported. ${messageOf(error)}`);
    }
  }
  function forget(): void {
    onSource(undefined);
    setDraft(undefined);
  }
  async function startOver(): Promise<void> {
    forget();
    setEarlier(undefined);
    await leave(name);
  }
  function begin({ source, plan }: Pick<Draft, 'source' | 'plan'>, isDry: boolean): void {
    if (!isDry) onSource(undefined);
    start(new Job(source, plan, collection, isDry));
  }

  function body() {
    if (refused !== undefined)
      return (
        <p>
          Nothing can be imported into {name}. {refused}
        </p>
      );
    if (job !== undefined)
      return <JobPanel job={job} onImport={() => begin(job, false)} onBack={() => dismiss(name)} onLeave={startOver} />;
    if (earlier !== undefined && draft === undefined)
      return (
        <SavedPanel
          {...earlier}
          onChosen={(source) => start(new Job(source, earlier.saved.plan, collection, false, earlier))}
          onLeave={startOver}
        />
      );
    if (draft === undefined) return <ChooseSource label="Choose a file" takesText onChosen={choose} />;
    return (
      <ColumnsPanel
        name={draft.source.name}
        collection={collection}
        plan={draft.plan}
        rows={draft.rows}
        onPlan={(plan) => setDraft({ ...draft, plan })}
        onCheck={() => begin(draft, true)}
        onImport={() => begin(draft, false)}
        onBack={forget}
      />
    );
  }

  return (
    <>
      <div class="screen-head">
        <h1>Import</h1>
        <AsCode code={() => codeOf(draft ?? exampleOf(collection), collection, withKey)} />
      </div>
      <div class="plain-screen import">
        <ChooseInto collections={collections} name={name} />
        {failure === '' ? null : <p role="alert">{failure}</p>}
        {body()}
      </div>
    </>
  );
}
